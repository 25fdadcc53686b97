/** A UPI address (virtual payment address), as in design, section 8. */
export const VPA_PATTERN = '^[A-Za-z0-9.\\-_]{2,256}@[A-Za-z][A-Za-z0-9]{1,63}$'
