/** An error that the user can correct; only its message is shown, without a stack trace. */
export class UserError extends Error {
  override readonly name = 'UserError'
}
