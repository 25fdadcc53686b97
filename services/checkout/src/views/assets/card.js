/* global document, checks, asciiDigits, networkOf, splitDigits, expiryParts */
/* global readCardNumber, readExpiry, readCvv, readName */
/* Groups the card number while it is typed, shows the network, and checks the fields as the server does. */
;(() => {
  const digitsOf = (text) => asciiDigits(text.normalize('NFKC')).replace(/\D/g, '')

  function grouped(digits, groups) {
    const parts = []
    let at = 0
    for (const size of groups) {
      parts.push(digits.slice(at, at + size))
      at += size
    }
    parts.push(digits.slice(at))
    return parts.filter(Boolean).join(' ')
  }

  /* Keeps the caret behind the same digit. */
  function groupNumber(input) {
    const before = digitsOf(input.value.slice(0, input.selectionStart)).length
    const atEnd = input.selectionStart === input.value.length
    const network = networkOf(digitsOf(input.value))
    const digits = digitsOf(input.value).slice(0, network ? Math.max(...network.lengths) : 19)
    const text = grouped(digits, network ? network.groups : [4, 4, 4, 4])
    if (text !== input.value) {
      input.value = text
      let caret = atEnd ? text.length : 0
      while (!atEnd && digitsOf(text.slice(0, caret)).length < before) caret += 1
      input.setSelectionRange(caret, caret)
    }
    showNetwork(input, network)
  }

  function showNetwork(input, network) {
    const label = input.form.querySelector('[data-network]')
    if (label.dataset.network === (network?.id ?? '')) return
    label.dataset.network = network?.id ?? ''
    label.innerHTML = network ? network.mark : ''
    if (network) label.append(network.name)
  }

  /* Does not reformat while the shopper deletes or edits in the middle: the reader accepts every form. */
  function groupExpiry(input, isDeleting) {
    if (isDeleting || input.selectionStart !== input.value.length) return
    const typed = asciiDigits(input.value.normalize('NFKC'))
    const whole = expiryParts(typed)
    const [, first, second] = /^\D*(\d\d?)\D+(\d*)\D*$/.exec(typed) ?? []
    const [month, year] = first ? [first, second] : splitDigits(digitsOf(typed))
    const isMonth = first || year || month.length === 2 || month > '1'
    const text = whole ? `${whole.month}/${whole.year}` : isMonth ? `${month.padStart(2, '0')}/${year}` : month
    if (text !== input.value) input.value = text
  }

  function groupCvv(input) {
    const network = networkOf(digitsOf(input.form.elements.card_number.value))
    const text = digitsOf(input.value).slice(0, network ? network.cvvLength : 4)
    if (text !== input.value) input.value = text
  }

  checks.card = (form) => {
    const { card_number: number, card_expiry: expiry, card_cvv: cvv, card_name: name } = form.elements
    const network = networkOf(digitsOf(number.value))
    return {
      card_number: readCardNumber(number.value).error,
      card_expiry: readExpiry(expiry.value, new Date()).error,
      card_cvv: readCvv(cvv.value, network).error,
      card_name: readName(name.value).error,
    }
  }

  document.addEventListener('input', ({ target, inputType }) => {
    if (target.name === 'card_number') groupNumber(target)
    if (target.name === 'card_expiry') groupExpiry(target, String(inputType).startsWith('delete'))
    if (target.name === 'card_cvv') groupCvv(target)
  })
})()
