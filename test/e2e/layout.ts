import type { Page } from '@playwright/test'

/**
 * Finds texts and controls that are outside the window, or cut off without a scroll bar or a tooltip.
 * Returns one line each, with the element’s name. The page is measured when its animations have ended.
 */
export async function layoutProblems(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    /**
     * The bounds of an element on one axis, and the treatment of the rest: scrolled, shortened, or
     * cut off.
     */
    type Bound = { min: number; max: number; rest: 'window' | 'scrolls' | 'shortened' | 'cut' }
    type Bounds = { x: Bound; y: Bound; by: string }

    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    await nextFrame()
    await nextFrame()
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    await Promise.all(ending.map(({ finished }) => finished.catch(() => undefined)))

    const problems = new Set<string>()
    const controls = new Set(['BUTTON', 'INPUT', 'SELECT', 'TEXTAREA', 'IMG', 'svg', 'PROGRESS'])

    const nameOf = (element: Element): string => {
      const label = element.closest('[aria-label]')?.getAttribute('aria-label')
      const text = element.textContent.trim().replaceAll(/\s+/g, ' ').slice(0, 50)
      const classes = [...element.classList].join('.')
      return `<${element.tagName.toLowerCase()} .${classes}> “${text}” in ${label ?? 'the page'}`
    }

    /** Glyphs reach a few pixels above and below their line. */
    const slack = { x: 1.5, y: 4 }

    /** @returns true if the element has no problem; otherwise its children are not reported again */
    const check = (what: Element, box: DOMRect, bounds: Bounds): boolean => {
      const before = problems.size
      if (box.width === 0 || box.height === 0) return true
      for (const axis of ['x', 'y'] as const) {
        const { min, max, rest } = bounds[axis]
        const [start, end] = axis === 'x' ? [box.left, box.right] : [box.top, box.bottom]
        const over = Math.max(min - start, end - max)
        if (over <= slack[axis] || rest === 'scrolls' || rest === 'shortened') continue
        const where = rest === 'window' ? 'outside the window' : `cut by ${bounds.by}`
        problems.add(`${nameOf(what)}: ${Math.round(over)} px ${axis} ${where}`)
      }
      return problems.size === before
    }

    const narrow = (outer: Bound, min: number, max: number, rest: Bound['rest']): Bound => {
      if (rest === 'scrolls' || outer.rest === 'scrolls') return { min, max, rest }
      return { min: Math.max(min, outer.min), max: Math.min(max, outer.max), rest }
    }

    const walk = (element: Element, flow: Bounds, positioned: Bounds): void => {
      const style = getComputedStyle(element)
      if (style.display === 'none') return
      const box = element.getBoundingClientRect()
      const isUnseen =
        style.visibility === 'hidden' ||
        style.opacity === '0' ||
        style.clipPath.startsWith('inset(50%') ||
        (style.position === 'absolute' && box.width <= 1 && box.height <= 1) ||
        // Charts measure their texts in this element.
        (style.position === 'absolute' && box.bottom < -1000)
      if (isUnseen) return
      const outer =
        style.position === 'fixed' ? whole : style.position === 'absolute' ? positioned : flow
      const isContents = style.display === 'contents'
      const isScroller = /auto|scroll/.test(style.overflowX + style.overflowY)
      const isWhole = !isContents && (controls.has(element.tagName) || isScroller)
      if (isWhole && !check(element, box, outer)) return

      if (style.scrollbarWidth === 'none' && element.scrollWidth > element.clientWidth + 1) {
        problems.add(`${nameOf(element)}: it scrolls without a scroll bar`)
      }
      let inner = outer
      const clipsX = style.overflowX !== 'visible'
      const clipsY = style.overflowY !== 'visible'
      if (!isContents && (clipsX || clipsY)) {
        const lines = style.getPropertyValue('-webkit-line-clamp')
        const isShortened = style.textOverflow === 'ellipsis' || (lines !== 'none' && lines !== '')
        const isCut =
          element.scrollWidth > element.clientWidth + 1 ||
          element.scrollHeight > element.clientHeight + slack.y
        if (isShortened && isCut) {
          element.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))
          if (element.closest('[title]') === null) {
            problems.add(`${nameOf(element)}: shortened without a tooltip`)
          }
        }
        const restOf = (overflow: string): Bound['rest'] =>
          /auto|scroll/.test(overflow) ? 'scrolls' : isShortened ? 'shortened' : 'cut'
        inner = {
          x: clipsX ? narrow(outer.x, box.left, box.right, restOf(style.overflowX)) : outer.x,
          y: clipsY ? narrow(outer.y, box.top, box.bottom, restOf(style.overflowY)) : outer.y,
          by: nameOf(element),
        }
      }
      const isAnchor = style.position !== 'static' || style.transform !== 'none'
      const anchored = isAnchor ? inner : positioned
      if (element.tagName === 'INPUT') {
        const input = element as HTMLInputElement
        if (input.value === '' && input.scrollWidth > input.clientWidth + 1) {
          problems.add(`${nameOf(element)}: its placeholder “${input.placeholder}” is cut`)
        }
      }
      for (const child of element.childNodes) {
        if (child instanceof Element) walk(child, inner, anchored)
        else if (child.nodeType === Node.TEXT_NODE && child.textContent?.trim() !== '') {
          const range = document.createRange()
          range.selectNodeContents(child)
          for (const line of range.getClientRects()) check(element, line, inner)
        }
      }
    }

    const { innerWidth, innerHeight } = window
    const whole: Bounds = {
      x: { min: 0, max: innerWidth, rest: 'window' },
      y: { min: 0, max: innerHeight, rest: 'window' },
      by: 'the window',
    }
    // Elements behind a dialog cannot be reached.
    const dialog = [...document.querySelectorAll('[data-modal]')].at(-1)
    for (const child of dialog === undefined ? document.body.children : [dialog]) {
      walk(child, whole, whole)
    }
    return [...problems]
  })
}
