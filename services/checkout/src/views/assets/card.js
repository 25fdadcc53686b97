/* global document, pageData, checks */
/* Groups the card number while it is typed, shows the network, and checks the fields. */
;(() => {
  const { networks } = pageData
  /* A Hindi keyboard may type Devanagari digits. */
  const ascii = (text) => text.replace(/[०-९]/g, (digit) => digit.charCodeAt(0) - 0x966)
  const digitsOf = (text) => ascii(text).replace(/\D/g, '')
  const networkOf = (digits) =>
    networks.find(({ ranges }) =>
      ranges.some(([from, to]) => {
        const start = digits.slice(0, from.length)
        return start.length === from.length && start >= from && start <= to
      }),
    )

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
    if (label.dataset.network === (network?.network ?? '')) return
    label.dataset.network = network?.network ?? ''
    label.innerHTML = network ? network.mark : ''
    if (network) label.append(network.name)
    input.form.elements.card_cvv.maxLength = network ? network.cvvLength : 4
  }

  function groupExpiry(input, isDeleting) {
    const filled = /^\s*(\d\d?)\s*[/-]\s*(?:20)?(\d\d)\s*$/.exec(ascii(input.value))
    let digits = filled ? filled[1].padStart(2, '0') + filled[2] : digitsOf(input.value)
    if (/^[2-9]/.test(digits)) digits = `0${digits}`
    if (/^\d\d20\d\d$/.test(digits)) digits = digits.slice(0, 2) + digits.slice(4)
    const typing = !isDeleting && digits.length === 2
    const text = digits.length > 2 || typing ? `${digits.slice(0, 2)}/${digits.slice(2, 6)}` : digits
    if (text !== input.value && input.selectionStart === input.value.length) input.value = text
  }

  function hasValidCheckDigit(digits) {
    let sum = 0
    for (let index = 0; index < digits.length; index += 1) {
      const digit = Number(digits[digits.length - 1 - index])
      sum += index % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2
    }
    return sum % 10 === 0
  }

  function wrongNumber(digits, network) {
    if (!digits) return 'required'
    if (digits.length < 12) return 'number_length'
    if (!network) return 'network_unsupported'
    if (!network.lengths.includes(digits.length)) return 'number_length'
    return hasValidCheckDigit(digits) ? '' : 'number_invalid'
  }

  function wrongExpiry(text) {
    const typed = ascii(text).trim()
    if (!typed) return 'required'
    const [, month, year] = /^(0[1-9]|1[0-2])\s*\/\s*(?:20)?(\d\d)$/.exec(typed) ?? []
    if (!month) return 'expiry_format'
    return new Date(2000 + Number(year), Number(month), 1) <= new Date() ? 'expired' : ''
  }

  checks.card = (form) => {
    const { card_number: number, card_expiry: expiry, card_cvv: cvv, card_name: name } = form.elements
    const digits = digitsOf(number.value)
    const network = networkOf(digits)
    const cvvLengths = network ? [network.cvvLength] : [3, 4]
    return {
      card_number: wrongNumber(digits, network),
      card_expiry: wrongExpiry(expiry.value),
      card_cvv: !cvv.value
        ? 'required'
        : /^\d+$/.test(ascii(cvv.value)) && cvvLengths.includes(cvv.value.length)
          ? ''
          : 'cvv_length',
      card_name: name.value.trim() ? '' : 'required',
    }
  }

  document.addEventListener('input', ({ target, inputType }) => {
    if (target.name === 'card_number') groupNumber(target)
    if (target.name === 'card_expiry') groupExpiry(target, String(inputType).startsWith('delete'))
  })
})()
