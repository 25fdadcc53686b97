const NAMES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
/** Characters that XML 1.0 cannot represent: most control characters, and lone surrogates. */
const NOT_IN_XML = /[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]|\p{Cs}/gu

/** Text for the contents and attributes of HTML and XML. */
export function escapeMarkup(text: string): string {
  return text.replaceAll(NOT_IN_XML, '\uFFFD').replaceAll(/[&<>"']/gu, (character) => NAMES[character] ?? character)
}
