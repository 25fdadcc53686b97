import { PROBLEMS, PUBLIC_PROBLEM_CODES, type JsonSchema, type ProblemCode } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import type { Entry } from './entries.ts'
import { fieldTable, ofAnswer } from './field-table.ts'

/** By status, what it means; no operation says anything else of it. */
export type Answers = Readonly<Record<string, string>>

/** The answers that every operation can give. They are shown once. */
export function commonAnswers(entries: readonly Entry[]): Answers {
  const [first, ...others] = entries.map(({ responses }) => ownAnswers(responses, {}))
  return Object.fromEntries(
    Object.entries(first ?? {}).filter(([status, meaning]) => others.every((answers) => answers[status] === meaning)),
  )
}

/** The answers of one operation without those that all give. */
export function ownAnswers(responses: Readonly<Record<string, { readonly description: string }>>, common: Answers): Answers {
  const all = Object.entries(responses).map(([status, { description }]) => [status, description] as const)
  return Object.fromEntries(all.filter(([status, description]) => common[status] !== description))
}

export function answerList(answers: Answers): Html {
  return html`<p>${Object.entries(answers).map(([status, meaning]) => html`<code>${status}</code> ${meaning}<br />`)}</p>`
}

/** What errors look like, the answers that every call can give, and every code with its meaning. */
export function errorSection(common: Answers, problem: JsonSchema): Html {
  return html`<section aria-labelledby="errors">
    <h2 id="errors">Errors</h2>
    <p>
      Errors are <code>application/problem+json</code> (RFC 9457) with a stable <code>code</code>, <code>errors</code> for invalid
      fields, and a <code>request_id</code> to quote. 429 and 503 carry <code>Retry-After</code>. A later version may add codes.
    </p>
    <h3>The body of an error (${String(problem['description'])})</h3>
    ${fieldTable('Body', ofAnswer(problem))}
    <h3>Every call</h3>
    ${answerList(common)}
    <h3>Codes</h3>
    <table class="received">
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">Status and meaning</th>
        </tr>
      </thead>
      <tbody>
        ${PUBLIC_PROBLEM_CODES.map(codeRow)}
      </tbody>
    </table>
  </section>`
}

function codeRow(code: ProblemCode): Html {
  const { status, meaning, repeatable } = PROBLEMS[code]
  return html`<tr>
    <td><code>${code}</code></td>
    <td><code>${status}</code> ${withCode(meaning)}${repeatable ? ' Try again.' : undefined}</td>
  </tr>`
}

/** A text whose names in backquotes are shown as code. */
function withCode(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`
}
