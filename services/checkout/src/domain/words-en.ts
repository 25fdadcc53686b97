const MONEY_COMES_BACK = 'If money has left your account, it will be returned to you.'

/** The page's texts in English: short sentences, no codes, no blame. */
export const ENGLISH = {
  fullStop: '.',
  moneyComesBack: MONEY_COMES_BACK,
  choose: 'How would you like to pay?',
  noMethod: {
    title: 'This payment cannot be made here',
    text: (merchant: string) =>
      `No way to pay is open for this order at the moment. Please ask ${merchant} for another one. You have not been charged.`,
  },
  waiting: {
    title: 'Waiting for your bank',
    atBank: 'If your bank’s page is open, finish the payment there. The result will show here by itself.',
    inApp: 'Your payment is on its way. Approve it in your UPI app if it asks you to. The result will show here by itself.',
  },
  closing: {
    cancelled: { title: 'Cancelling', text: 'We are checking with the bank that no money has moved. Please do not pay now.' },
    expired: {
      title: 'The time to pay has ended',
      text: 'We are checking with the bank whether you have paid. Please do not pay now.',
    },
  },
  success: { title: 'Payment successful', text: (merchant: string) => `Your payment to ${merchant} is complete.` },
  failures: {
    declined: { title: 'Payment declined', text: `Your bank or UPI app did not approve this payment. ${MONEY_COMES_BACK}` },
    cancelled: { title: 'Payment cancelled', text: `This payment was cancelled. ${MONEY_COMES_BACK}` },
    expired: { title: 'The time to pay has ended', text: `We did not receive a payment in time. ${MONEY_COMES_BACK}` },
    amount_mismatch: {
      title: 'A different amount was paid',
      text: 'The amount that was paid is not the amount of this order, so it is being returned to you.',
    },
    unconfirmed: { title: 'Payment not confirmed', text: `Your bank could not confirm this payment to us. ${MONEY_COMES_BACK}` },
    network_error: { title: 'Payment failed', text: `The bank could not be reached. ${MONEY_COMES_BACK}` },
    unknown: { title: 'Payment failed', text: `This payment did not go through. ${MONEY_COMES_BACK}` },
  },
  /** Why the previous attempt failed; shown after the title of the failure. */
  earlier: {
    cancelled: 'It was stopped before it was complete.',
    expired: 'It was not finished in time.',
    amount_mismatch: 'What was paid is being returned to you.',
    unconfirmed: MONEY_COMES_BACK,
    network_error: 'The bank could not be reached.',
    unknown: 'It did not go through.',
  },
  /** Why the bank or the UPI network declined a payment. */
  declines: {
    insufficient_funds: 'There was not enough money in the account, or not enough credit on the card.',
    authentication_failed: 'The PIN, password or one-time password was wrong or not entered.',
    limit_exceeded: 'The amount is above the limit of your account or card.',
    payer_declined: 'The payment was refused in the UPI app or on the bank’s page.',
    instrument_blocked: 'This card or account cannot be used: it may be blocked, expired, or not enabled for online payments.',
    issuer_down: 'Your bank’s systems were not working.',
    timed_out: 'The payment was not finished in time.',
    risk: 'Your bank stopped the payment for security reasons.',
    unknown: 'Your bank did not approve it.',
  },
  tryAgain: 'You can try again, or pay another way.',
  notices: {
    already_started: 'This payment was started already, so it was not started again.',
    out_of_date: 'The page had changed meanwhile, and nothing was charged. Please choose again.',
    method_down: 'This way to pay is not working right now, so nothing was started. Please choose another one.',
  },
  outages: {
    all: {
      title: 'Payments are not working right now',
      text: 'The banks have a technical problem. The ways to pay will show here by themselves as soon as they work again.',
    },
    methods: (list: string) => `Not working right now, so not offered here: ${list}.`,
    slow: 'Payments this way may fail or take longer right now.',
    banks: (list: string) => `Not working right now, so not in the list: ${list}.`,
    slowBanks: (list: string) => `Payments may fail or take longer right now: ${list}.`,
  },
  summary: { paying: 'Paying', amount: 'Amount', for: 'For', order: 'Order' },
  methods: { label: 'Ways to pay', upi: 'UPI', card: 'Card', netbanking: 'Net banking' },
  pay: (rupees: string) => `Pay ${rupees}`,
  timeLeft: 'Time left to pay:',
  until: (time: string) => `(until ${time} IST)`,
  upi: {
    open: 'Open UPI app',
    apps: 'Or choose your app',
    approve: 'Approve the payment in the app, then come back here.',
    scan: 'Scan with any UPI app on your phone',
    qrLabel: (rupees: string, merchant: string) => `QR code to pay ${rupees} to ${merchant} with any UPI app`,
    qrOnPhone: 'Show QR code for another phone',
    checkWithoutScript: 'Paid? Check the result',
  },
  card: {
    number: 'Card number',
    expiry: 'Expiry (MM/YY)',
    cvv: 'CVV',
    cvvHint: 'The 3 digits on the back; American Express: 4 on the front',
    name: 'Name on card',
    accepted: 'Credit and debit cards:',
    next: 'Your bank will ask you to confirm, usually with a one-time password.',
  },
  bank: {
    search: 'Search banks',
    searchHint: 'In English or Hindi',
    popular: 'Popular banks',
    all: 'All banks',
    test: 'Test banks',
    found: { none: 'No bank found. Check the spelling.', one: '1 bank found', many: '{n} banks found' },
    next: 'Your bank’s page opens, where you sign in and confirm.',
  },
  errors: {
    title: 'Please check what you entered',
    card_number: {
      required: 'Enter the card number',
      number_invalid: 'This card number is not right. Check the digits',
      number_length: 'This card number is too short or too long',
    },
    card_expiry: {
      required: 'Enter the expiry date on the card',
      expiry_format: 'Enter the expiry as month and year, such as 08/29',
      expired: 'This card has expired. Use another card',
    },
    card_cvv: { required: 'Enter the CVV', cvv_length: 'The CVV has 3 digits; 4 on American Express' },
    card_name: {
      required: 'Enter the name on the card',
      name_invalid: 'Enter the name in letters, as it is on the card',
    },
    bank: {
      required: 'Choose your bank',
      bank_unknown: 'Choose a bank from the list',
      bank_down: 'This bank is not working right now. Choose another bank',
    },
    fallback: 'Check this field',
  },
  atBank: {
    title: 'Taking you to your bank',
    text: 'Please do not close this page. If nothing happens, use the button.',
    go: 'Continue to your bank',
  },
  another: 'Try another way',
  anotherHint: 'If you have just paid, please wait instead.',
  cancel: 'Cancel payment',
  cancelHint: 'Do not cancel if you have just paid.',
  cancelNow: 'Yes, cancel this payment',
  checkStatus: 'Check again',
  receipt: { transaction: 'Transaction number', bank: 'Bank reference (RRN)', method: 'Paid by' },
  back: (merchant: string) => `Return to ${merchant}`,
  mayClose: (merchant: string) => `${merchant} gets the result from us. You may also close this page.`,
  backIn: 'You return to the shop in {n} seconds.',
  stay: 'Stay on this page',
  stayed: 'You stay on this page.',
  wait: 'One moment…',
  offline: 'You are offline. Please do not pay again; this page goes on when you are back online.',
  messages: {
    link_not_valid: {
      title: 'This link is not valid',
      text: 'There is no payment at this address. Please open the link again as you received it, or ask the shop for a new one.',
    },
    try_again: {
      title: 'One moment, please',
      text: 'We cannot show this payment right now. If you have paid already, please do not pay again. This page tries again by itself.',
    },
    not_ours: {
      title: 'Please try again',
      text: 'We could not be sure that this came from our own page, so nothing was changed. Go back, reload the page, and allow cookies for it.',
    },
    unexpected: { title: 'Something went wrong', text: 'Nothing was changed. Please reload the page in a moment.' },
  },
  reload: 'Try again now',
  sandbox: 'Sandbox: no real money moves.',
  footer: 'Secure payment page. Never share your UPI PIN, OTP or CVV with anyone.',
}

/** Every text of the page in one language. English defines the type, so a missing text in another language fails to compile. */
export type Dictionary = typeof ENGLISH
