/** Names of people, in the form of `labelled`. */
export const persons = `
John Smith | birth_date=1970-03-01
Smith, John | birth_date=1970-03-01
J. Smith
Mr John Smith

John Smith | birth_date=1984-11-20
John Smith Jr.

Jane Smith
Smith, Jane

Robert T. Okafor | email=r.okafor@example.org
Bob Okafor | email=r.okafor@example.org
Robert Okafor
Okafor, R. T.

Richard Okafor
Rick Okafor

María José García López
Maria Jose Garcia Lopez
García López, María José

Mario José García López

Dr. Elisabeth Krüger
Elisabeth Krueger
E. Krüger

Elisa Krug

Catherine O'Neill
Catherine ONeill
Kate O'Neill

Cathal O'Neill

Björn Svensson
Bjorn Svensson
Svensson, Bjørn

Bjarne Svensson

William Henry Gates
William H. Gates
Bill Gates

William Hargreaves

Prof. Anna-Lena Weiß
Anna-Lena Weiss
Anna Lena Weiß

Anna Weiß-Hofmann

Stephen Mbeki
Steven Mbeki
Stephan Mbeki

Thabo Mbeki

Nguyen Van An
Nguyễn Văn An

Nguyen Van Anh

Christopher Palmer
Chris Palmer
Cristopher Palmer

Christine Palmer

Aleksandr Petrov
Alexandr Petrov
A. Petrov

Andrei Petrov

Margaret Thornton
Peggy Thornton | phone=+44 20 7946 0018
Margaret Thornton | phone=+44 20 7946 0018

Martin Thornton | phone=+44 20 7946 0990

Li Wei | email=li.wei@example.com
Wei Li | email=li.wei@example.com

Li Wen

Jean-Luc Moreau
Jean Luc Moreau
Moreau, J.-L.

Jean Moreau-Petit

Katharina Schmidt
Katharina Schmitt

Klara Schmidt

Samuel Adeyemi
Sam Adeyemi
Samuel Adeyemi Sr.

Samuel Adeyemi Jr.

David Lee | birth_date=1990-01-01
David Lee | birth_date=1991-02-02

Fatima al-Rashid
Fatima Al Rashid
Fatimah al-Rashid

Farid al-Rashid

Peter van der Berg
Peter v.d. Berg
Pieter van der Berg

Petra van der Berg

Laura Bianchi
L. Bianchi
Bianchi Laura

Lucia Bianchi

Tom Baker
Thomas Baker
Thomas J. Baker

Thomas K. Barker
`;
