import { html, type Html } from '@gateway/service-kit/http'
import type { FormError, FormField, FormMethod, RefusedForm } from '../domain/card-form.ts'
import type { Dictionary } from '../domain/words-en.ts'
import type { PanelContext } from './panel-context.ts'

export interface Field {
  readonly name: FormField
  readonly label: string
  readonly value?: string | undefined
  /** The id of a hint elsewhere on the page that describes this field. */
  readonly hintId?: string | undefined
  readonly errors: readonly FormError[]
  /** Attributes of the input that differ from field to field. */
  readonly attributes: Html
  /** Shown beside the input. */
  readonly mark?: Html
}

/** A labelled input; its hint and error are its description for screen readers. */
export function field(input: Field, words: Dictionary): Html {
  const error = input.errors.find(({ field: name }) => name === input.name)
  const described = `${input.hintId ?? ''} ${input.name}-error`.trim()
  return html`<div class="field">
    <label for="${input.name}">${input.label}</label>
    <div class="box">
      <input
        id="${input.name}"
        name="${input.name}"
        value="${input.value ?? ''}"
        required
        aria-describedby="${described}"
        ${error ? html`aria-invalid="true"` : undefined}
        ${input.attributes}
      />${input.mark}
    </div>
    ${errorUnder(input.name, error, words)}
  </div>`
}

/** The element for a field's error; empty without an error, so that the script can fill it. */
export function errorUnder(name: FormField, error: FormError | undefined, words: Dictionary): Html {
  return html`<p class="error" id="${name}-error">${error && errorText(error, words)}</p>`
}

/** Lists all errors above the form, with links to the fields. It takes the focus, without a script too. */
export function errorSummary(errors: readonly FormError[], words: Dictionary): Html {
  const items = errors.map((error) => html`<li><a href="#${error.field}">${errorText(error, words)}</a></li>`)
  return html`<div
    class="errors"
    tabindex="-1"
    role="group"
    aria-label="${words.errors.title}"
    data-errors
    ${errors.length > 0 ? html`autofocus` : html`hidden`}
  >
    <p class="strong">${words.errors.title}</p>
    <ul>
      ${items}
    </ul>
  </div>`
}

/** Wraps `content` in a form that starts an attempt, with its hidden fields. */
export function formStart(method: FormMethod, { path, csrf, attemptId }: PanelContext, content: Html): Html {
  return html`<form method="post" action="${path}/pay" novalidate data-form="${method}">
    <input type="hidden" name="csrf" value="${csrf ?? ''}" />
    <input type="hidden" name="attempt_id" value="${attemptId}" />
    <input type="hidden" name="method" value="${method}" />
    ${content}
  </form>`
}

/** The errors of this method's form, and the values that may be shown again. */
export function entered(method: FormMethod, { form }: PanelContext): Pick<RefusedForm, 'errors' | 'values'> {
  return form?.method === method ? form : { errors: [], values: {} }
}

function errorText({ field: name, code }: FormError, words: Dictionary): string {
  const texts: Readonly<Record<string, string>> = words.errors[name]
  return texts[code] ?? words.errors.fallback
}
