export { findCards } from './finder/find-cards.ts'
export { reportLines, scanStack, type ScannedSource } from './scan-stack.ts'
export { checkDigit, PLANTED_FORMS } from './test/planted-forms.ts'
