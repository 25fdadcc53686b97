/* global document, window, performance */
/* Counts down the time that the page can be used, then reloads the page to show the result. */
;(() => {
  const timer = document.querySelector('[data-left-ms]')
  const announce = document.querySelector('[data-announce]')
  const endsAtMs = performance.now() + Number(timer.dataset.leftMs)
  const announceAtSeconds = 60

  function show() {
    const seconds = Math.max(Math.ceil((endsAtMs - performance.now()) / 1000), 0)
    timer.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    if (seconds === announceAtSeconds) announce.textContent = 'One minute left'
    if (seconds > 0) return
    window.clearInterval(ticking)
    window.location.reload()
  }

  const ticking = window.setInterval(show, 1000)
})()
