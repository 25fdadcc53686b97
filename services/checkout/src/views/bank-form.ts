import { html, type Html } from '@gateway/service-kit/http'
import { banksIn, type Bank } from '../domain/banks.ts'
import type { Dictionary } from '../domain/words-en.ts'
import type { InLanguage } from '../domain/words.ts'
import { entered, errorSummary, errorUnder, formStart } from './fields.ts'
import type { PanelContext } from './panel-context.ts'

/** All banks as one group of radio buttons: popular ones as tiles, the others in a list. A script adds the search. */
export function bankForm(rupees: string, context: PanelContext): Html {
  const { words } = context
  const { errors, values } = entered('netbanking', context)
  const all = banksIn(context.environment)
  const { hiddenBanks, slowBanks } = context.outages
  const among = (codes: readonly string[]) => all.filter(({ code }) => codes.includes(code))
  const banks = all.filter(({ code }) => !hiddenBanks.includes(code))
  const group = (wanted: Bank['group']): Html | undefined => bankGroup(wanted, banks, values.bank, context)
  const [error] = errors
  return formStart(
    'netbanking',
    context,
    html`${errorSummary(errors, words)} ${bankNotices(among(hiddenBanks), among(slowBanks), context)} ${searchField(words)}
      <div
        class="banks"
        id="bank"
        role="radiogroup"
        tabindex="-1"
        aria-label="${words.methods.netbanking}"
        aria-describedby="bank-error"
        data-banks
      >
        ${group('popular')} ${group('all')} ${group('test')}
      </div>
      ${errorUnder('bank', error, words)}
      <button class="button">${words.pay(rupees)}</button>
      <p class="hint next">${words.bank.next}</p>`,
  )
}

/** Hidden until the script shows it, because only the script can search. It has no name, so the form does not send it. */
function searchField(words: Dictionary): Html {
  return html`<div class="field" hidden data-search>
    <label for="bank_search">${words.bank.search}</label>
    <div class="box">
      <input
        id="bank_search"
        type="search"
        autocomplete="off"
        spellcheck="false"
        aria-describedby="bank_search-hint"
        enterkeyhint="search"
      />
    </div>
    <p class="hint" id="bank_search-hint">${words.bank.searchHint}</p>
    <p class="hint" aria-live="polite" data-found></p>
  </div>`
}

function bankGroup(
  group: Bank['group'],
  banks: readonly Bank[],
  chosen: string | undefined,
  { language, words }: InLanguage,
): Html | undefined {
  const listed = banks.filter((bank) => bank.group === group)
  if (listed.length === 0) return undefined
  const other = language === 'en' ? 'hi' : 'en'
  const items = listed.map(
    ({ code, name }) =>
      html`<label data-also="${name[other]}"
        ><input
          type="radio"
          name="bank"
          value="${code}"
          ${code === chosen ? html` checked` : undefined}
        />${name[language]}</label
      >`,
  )
  return html`<fieldset data-group>
    <legend>${words.bank[group]}</legend>
    <div class="${group === 'popular' ? 'tiles' : 'list'}">${items}</div>
  </fieldset>`
}

/** Says which banks are not listed, and which may fail. */
function bankNotices(
  hidden: readonly Bank[],
  slow: readonly Bank[],
  { language, words: { outages } }: InLanguage,
): Html | undefined {
  const names = (banks: readonly Bank[]): string => banks.map(({ name }) => name[language]).join(', ')
  if (hidden.length + slow.length === 0) return undefined
  return html`${hidden.length > 0 ? html`<p class="notice" data-down>${outages.banks(names(hidden))}</p>` : undefined}
  ${slow.length > 0 ? html`<p class="notice" data-slow>${outages.slowBanks(names(slow))}</p>` : undefined}`
}
