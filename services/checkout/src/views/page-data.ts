import { Html } from '@gateway/service-kit/http'
import { CARD_NETWORKS } from '../domain/card-networks.ts'
import { dictionary, type Language } from '../domain/words.ts'
import { networkMark } from './icons.ts'

/** What of the script a page needs: to follow the payment, or the help with forms too. */
export type ScriptKind = 'watch' | 'all'

/** What the script knows beside the page: the words that it may need, and the networks' rules. Made once, at start. */
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
  const networks = CARD_NETWORKS.map((rules) => ({ ...rules, mark: networkMark(rules.network).markup }))
  return json({ networks, words: { errors, found: bank.found, backIn, stayed, wait, offline } })
}

/** Inside a script element only "<" could end it. */
function json(data: object): Html {
  return new Html(JSON.stringify(data).replaceAll('<', '\\u003c'))
}
