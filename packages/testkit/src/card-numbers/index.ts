/** Finds card numbers in any form that programs write: for tests of logs, documents and messages, and for `npm run scan:cards`. */
export type { Policy } from './card-numbers.ts'
export { describe, findCards, type Finding } from './find-cards.ts'
export { checkDigit, PLANTED_FORMS } from './planted-forms.ts'
