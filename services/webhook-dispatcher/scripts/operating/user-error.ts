/** An error that the operator can correct; only its message is shown. */
export class UserError extends Error {
  override readonly name = 'UserError'
}
