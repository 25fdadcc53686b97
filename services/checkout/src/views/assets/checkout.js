/* global document, window, EventSource, performance */
/* Keeps the open page true: what the server renders replaces what is there, and the time that is left counts down. */
;(() => {
  const panel = document.querySelector('[data-panel]')
  const announce = document.querySelector('[data-announce]')
  const reopenAfterMs = 3000
  let endsAtMs = 0

  function readTimer() {
    const timer = panel.querySelector('[data-left-ms]')
    if (timer) endsAtMs = performance.now() + Number(timer.dataset.leftMs)
  }

  function showTimer() {
    const timer = panel.querySelector('[data-left-ms]')
    if (!timer) return
    const seconds = Math.max(Math.ceil((endsAtMs - performance.now()) / 1000), 0)
    timer.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  }

  function show({ title, key, html }) {
    const shown = panel.querySelector('[data-key]')
    if (shown && shown.dataset.key === key) return
    panel.innerHTML = html
    document.title = title
    announce.textContent = title
    readTimer()
    showTimer()
  }

  function listen() {
    const events = new EventSource(panel.dataset.events)
    events.addEventListener('payment', ({ data }) => {
      const payment = JSON.parse(data)
      show(payment)
      if (payment.over) events.close()
    })
    // A browser comes back by itself, unless it was told an error.
    events.addEventListener('error', () => {
      if (events.readyState === EventSource.CLOSED) window.setTimeout(listen, reopenAfterMs)
    })
  }

  readTimer()
  window.setInterval(showTimer, 1000)
  listen()
})()
