/** Text that may stand in a page as it is: markup of our own, with everything foreign in it escaped. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

type Value = string | number | Html

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A template whose values are escaped, in text and in quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.reduce((page, part, index) => page + markupOf(values[index - 1] ?? '') + part))
}

function markupOf(value: Value): string {
  if (value instanceof Html) return value.markup
  return String(value).replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? '')
}
