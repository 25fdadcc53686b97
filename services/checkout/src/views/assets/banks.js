/* global document, words, checks */
/* Filters the banks by name, in English or Hindi, while the shopper types. The selected bank stays visible. */
;(() => {
  const plain = (text) =>
    text
      .toLocaleLowerCase('en')
      .normalize('NFKD')
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, '')
      .replace(/\u093c/g, '')

  function prepare() {
    const search = document.querySelector('[data-search]')
    if (search) search.hidden = false
  }

  function narrow(input) {
    const form = input.form
    const wanted = plain(input.value)
    let found = 0
    for (const label of form.querySelectorAll('[data-banks] label')) {
      const names = plain(`${label.textContent} ${label.dataset.also} ${label.firstElementChild.value}`)
      const fits = names.includes(wanted)
      if (fits) found += 1
      label.hidden = !fits && !label.firstElementChild.checked
    }
    for (const group of form.querySelectorAll('[data-group]')) group.hidden = !group.querySelector('label:not([hidden])')
    const text = found === 0 ? words.found.none : found === 1 ? words.found.one : words.found.many.replace('{n}', found)
    form.querySelector('[data-found]').textContent = wanted ? text : ''
  }

  checks.netbanking = (form) => ({ bank: form.querySelector('[name=bank]:checked') ? '' : 'required' })

  document.addEventListener('input', ({ target }) => {
    if (target.id === 'bank_search') narrow(target)
  })
  /* Enter in the search field must not submit the form. */
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target.id === 'bank_search') event.preventDefault()
  })
  document.addEventListener('panel', prepare)
  prepare()
})()
