/** A problem in a graphical definition; `pointer` is a JSON pointer into it. */
export interface ElyraProblem {
  message: string;
  pointer: string;
}
