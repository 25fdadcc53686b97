/** A cell that begins with one of these is a formula to a spreadsheet program. */
const FORMULA = /^[=+\-@\t\r]/u

/** One row of CSV (RFC 4180), with its line end. An apostrophe before a formula makes it text. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(text: string): string {
  const plain = FORMULA.test(text) ? `'${text}` : text
  return plain !== text || /[",\r\n]/u.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
