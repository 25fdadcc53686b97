import { html, type Html } from '@gateway/service-kit'

export type Mood = 'good' | 'bad' | 'busy' | 'calm'

const SHAPES: Readonly<Record<Mood, Html>> = {
  good: html`<path d="M14 25l7 7 14-15" />`,
  bad: html`<path d="M17 17l14 14M31 17L17 31" />`,
  busy: html`<path class="spin" d="M24 10a14 14 0 1 1-14 14" />`,
  calm: html`<path d="M24 14v13M24 33v1" />`,
}

/** The round sign above the words of a page; only decoration, the words say it all. */
export function moodIcon(mood: Mood): Html {
  return html`<svg class="mood ${mood}" viewBox="0 0 48 48" aria-hidden="true" focusable="false">${SHAPES[mood]}</svg>`
}

export function lockIcon(): Html {
  return html`<svg class="lock" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d="M5 7V5a3 3 0 0 1 6 0v2" />
    <rect x="3.5" y="7" width="9" height="6.5" rx="1.5" />
  </svg>`
}
