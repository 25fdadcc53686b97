/** On a message that may have been handled before: whoever acts on it looks first whether that was done, as if it were redelivered. */
export const CLAIM_FIRST_HEADER = 'claim-first'
