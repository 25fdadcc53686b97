/** Every form in which programs write card numbers, for tests of what finds them (contracts, card-numbers/find-cards.ts). */
export { checkDigit, PLANTED_FORMS } from './planted-forms.ts'
