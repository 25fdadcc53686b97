/** Something the person at the keyboard can put right: shown as its message alone, without a stack trace. */
export class UserError extends Error {
  override readonly name = 'UserError'
}
