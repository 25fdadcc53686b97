/** `"123456.00"` as a shopper in India reads it: `₹1,23,456.00`. */
export function formatRupees(amount: string): string {
  const [whole = '', paise = '00'] = amount.split('.')
  return `₹${whole.replace(/\B(?=(?:\d{2})*\d{3}$)/gu, ',')}.${paise}`
}

const IST_TIME = new Intl.DateTimeFormat('en-IN', { timeZone: 'Asia/Kolkata', hour: 'numeric', minute: '2-digit', hour12: true })

/** The hour and minute in India, such as `2:05 pm`. */
export function formatIstTime(instant: Date): string {
  return IST_TIME.format(instant)
}

/** Minutes and seconds, such as `9:05`. */
export function formatCountdown(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
