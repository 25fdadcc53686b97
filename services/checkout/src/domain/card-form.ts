/** What is wrong with a field of the form; the words for it belong to the views. */
export type FormErrorCode =
  | 'required'
  | 'number_invalid'
  | 'number_length'
  | 'network_unsupported'
  | 'expiry_format'
  | 'expired'
  | 'cvv_length'
  | 'name_invalid'
  | 'bank_unknown'

export type FormField = 'card_number' | 'card_expiry' | 'card_cvv' | 'card_name' | 'bank'

export interface FormError {
  readonly field: FormField
  readonly code: FormErrorCode
}
