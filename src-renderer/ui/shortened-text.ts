/** Gives a text that is shortened by an ellipsis its whole text as a tooltip while the pointer is over it. */
export function startTooltips(): () => void {
  const show = ({ target }: Event) => {
    const shortened = target instanceof Element ? findShortened(target) : null
    if (shortened === null || shortened.closest('[title]') !== null) return
    shortened.title = shortened.innerText.replaceAll(/\s+/g, ' ')
    // The text may change, so it is read again the next time.
    shortened.addEventListener('pointerleave', () => shortened.removeAttribute('title'), {
      once: true,
    })
  }
  document.addEventListener('pointerover', show)
  return () => document.removeEventListener('pointerover', show)
}

/** The pointer may be over a link or a tag in the text. */
function findShortened(target: Element): HTMLElement | null {
  for (let each: Element | null = target; each !== null; each = each.parentElement) {
    if (!(each instanceof HTMLElement)) continue
    const { textOverflow, webkitLineClamp } = getComputedStyle(each)
    const isCut =
      (textOverflow === 'ellipsis' && each.scrollWidth > each.clientWidth) ||
      (webkitLineClamp !== 'none' && each.scrollHeight > each.clientHeight)
    if (isCut) return each
  }
  return null
}
