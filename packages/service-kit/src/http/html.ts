/** Safe markup: our own, with every foreign value escaped. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

/** A value of a template: text, which gets escaped, markup, nothing, or a list of these. */
export type HtmlValue = string | number | Html | undefined | readonly HtmlValue[]

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A template whose values are escaped, in text and in quoted attributes alike. Attributes must be quoted. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(strings.reduce((page, part, index) => page + markupOf(values[index - 1]) + part))
}

function markupOf(value: HtmlValue): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.markup
  if (typeof value === 'object') return value.map(markupOf).join('')
  return String(value).replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? '')
}
