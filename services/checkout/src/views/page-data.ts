import { asciiDigits, CARD_NETWORKS, hasValidCheckDigit, isIssued, isPlainText, networkOf } from '@gateway/contracts'
import { Html } from '@gateway/service-kit/http'
import * as readers from '../domain/card-fields.ts'
import { dictionary, type Language } from '../domain/words.ts'
import { networkMark } from './icons.ts'

/** `watch`: the script that follows the payment. `all`: also the scripts for the forms. */
export type ScriptKind = 'watch' | 'all'

/** What the forms' scripts share with the server: the very functions that read a form, so that both read it alike. */
export const FORM_READERS = new Html(
  [
    'const CARD_NETWORKS = pageData.networks',
    asciiDigits,
    hasValidCheckDigit,
    isIssued,
    isPlainText,
    networkOf,
    ...Object.values(readers),
  ]
    .map(String)
    .join('\n'),
)

/** Data for the page's script: texts and the card networks' rules. Built once at start. */
export const PAGE_DATA: Readonly<Record<ScriptKind, Readonly<Record<Language, Html>>>> = {
  watch: { en: dataToWatch('en'), hi: dataToWatch('hi') },
  all: { en: dataForForms('en'), hi: dataForForms('hi') },
}

function dataToWatch(language: Language): Html {
  const { backIn, stayed, offline } = dictionary(language)
  return json({ words: { backIn, stayed, offline } })
}

function dataForForms(language: Language): Html {
  const { errors, bank, backIn, stayed, wait, offline } = dictionary(language)
  const networks = CARD_NETWORKS.map((rules) => ({ ...rules, mark: networkMark(rules.id)?.markup ?? '' }))
  return json({ networks, words: { errors, found: bank.found, backIn, stayed, wait, offline } })
}

/** Escapes "<", the only character that could end a script element. */
function json(data: object): Html {
  return new Html(JSON.stringify(data).replaceAll('<', '\\u003c'))
}
