import type { CardNetwork } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'

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

/** Our own drawings, not the networks' logos. The network's name always stands beside its mark. */
const MARKS = {
  visa: html`<path fill="#1a3a8f" d="M0 0h30v20H0z" /><path fill="#f4b400" d="M0 15h30v5H0z" /><path
      fill="none"
      stroke="#fff"
      stroke-width="2.5"
      d="M10 4l4 8 6-8"
    />`,
  mastercard: html`<path fill="#20242e" d="M0 0h30v20H0z" /><circle cx="12" cy="10" r="6" fill="#d6372b" /><circle
      cx="18"
      cy="10"
      r="6"
      fill="#f0a01e"
      fill-opacity=".85"
    />`,
  rupay: html`<path fill="#fff" d="M0 0h30v20H0z" /><path fill="#0b6b3a" d="M8 4l6 6-6 6z" /><path
      fill="#e8731a"
      d="M15 4l6 6-6 6z"
    />`,
  amex: html`<path fill="#2671b9" d="M0 0h30v20H0z" /><path
      fill="none"
      stroke="#fff"
      stroke-width="2"
      d="M7 14l4-8 4 8M17 6l6 8M23 6l-6 8"
    />`,
  diners: html`<path fill="#fff" d="M0 0h30v20H0z" /><circle cx="15" cy="10" r="7" fill="#1d5fa6" /><path
      fill="#fff"
      d="M14 5v10a5.200 5.200 0 0 1 0-10zM16 5v10a5.200 5.200 0 0 0 0-10z"
    />`,
  maestro: html`<path fill="#fff" d="M0 0h30v20H0z" /><circle cx="12" cy="10" r="6" fill="#1e78c8" /><circle
      cx="18"
      cy="10"
      r="6"
      fill="#d6372b"
      fill-opacity=".85"
    />`,
} satisfies Partial<Record<CardNetwork['id'], Html>>

/** The mark of a network; `undefined` for those that are rare in India. */
export function networkMark(network: CardNetwork['id']): Html | undefined {
  const drawing = Object.entries(MARKS).find(([id]) => id === network)?.[1]
  return drawing && html`<svg class="mark" viewBox="0 0 30 20" aria-hidden="true" focusable="false">${drawing}</svg>`
}
