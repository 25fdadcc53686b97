import { readFileSync } from 'node:fs'
import type { CardNetwork } from '@gateway/contracts'
import { html, Html } from '@gateway/service-kit/http'

export type Mood = 'good' | 'bad' | 'busy' | 'calm'

const SHAPES: Readonly<Record<Mood, Html>> = {
  good: html`<path d="M14 25l7 7 14-15" />`,
  bad: html`<path d="M17 17l14 14M31 17L17 31" />`,
  busy: html`<path class="spin" d="M24 10a14 14 0 1 1-14 14" />`,
  calm: html`<path d="M24 14v13M24 33v1" />`,
}

/** The round icon above a page's heading; decoration only. */
export function moodIcon(mood: Mood): Html {
  return html`<svg class="mood ${mood}" viewBox="0 0 48 48" aria-hidden="true" focusable="false">${SHAPES[mood]}</svg>`
}

export function lockIcon(): Html {
  return html`<svg class="lock" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d="M5 7V5a3 3 0 0 1 6 0v2" />
    <rect x="3.5" y="7" width="9" height="6.5" rx="1.5" />
  </svg>`
}

const MARKED = ['visa', 'mastercard', 'rupay', 'amex', 'diners', 'maestro'] as const satisfies readonly CardNetwork['id'][]
/** Our own drawings, not the networks' logos. The network's name always stands beside its mark. */
const MARKS: ReadonlyMap<CardNetwork['id'], Html> = new Map(MARKED.map((network) => [network, readMark(network)]))

/** The mark of a network; `undefined` for those that are rare in India. */
export function networkMark(network: CardNetwork['id']): Html | undefined {
  return MARKS.get(network)
}

/** A file needs its namespace to be shown alone; inside a page the namespace is superfluous. */
function readMark(network: (typeof MARKED)[number]): Html {
  const svg = readFileSync(new URL(`./assets/marks/${network}.svg`, import.meta.url), 'utf8')
  return new Html(svg.replace(' xmlns="http://www.w3.org/2000/svg"', '').trim())
}
