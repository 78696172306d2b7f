/** Ways in which pages style ordinary tables, by name. */
export const stylesOfTables: Record<string, string> = {
  grid: 'th,td{border:1px solid #000;padding:4px 8px}',
  bare: 'th,td{padding:4px 14px;text-align:left;font-weight:normal}',
  'row rules': 'table{width:100%}th,td{border-bottom:0.5px solid #bbb;padding:5px 8px;text-align:left}',
  zebra: 'table{width:100%}tbody tr:nth-child(odd){background:#eee}th,td{padding:5px 8px;text-align:left}',
  'right figures':
    'table{width:100%}th{text-align:left}td{text-align:right}td:first-child{text-align:left}th,td{padding:4px 8px}',
  'head rule': 'th{border-bottom:1px solid #000}th,td{padding:4px 12px;text-align:left}',
  'dark head': 'table{width:100%}th{background:#234;color:#fff}th,td{padding:6px 10px;text-align:left}',
  booktabs:
    'table{border-top:1.5px solid #000;border-bottom:1.5px solid #000}thead th{border-bottom:0.75px solid #000}th,td{padding:3px 10px;font-weight:normal}td{text-align:right}td:first-child,th:first-child{text-align:left}',
  'column rules': 'td,th{border-left:1px solid #999;padding:4px 10px}td:first-child,th:first-child{border-left:0}',
  centred: 'table{width:100%}th,td{text-align:center;padding:5px;border-bottom:1px dotted #999}th{background:#f2f2f2}',
};
