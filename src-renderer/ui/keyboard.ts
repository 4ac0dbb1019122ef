import { useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { create } from 'zustand'

/** A key, a chord with `mod` (Ctrl, or Cmd on a Mac) and `shift`, or two keys in a row: `g i`. */
type KeySpec = string

export type Shortcut = {
  readonly keys: readonly KeySpec[]
  /** The shortcut's description in the list that `?` opens. */
  readonly label: string
  /** The heading in that list, which says where the shortcut works. */
  readonly group: string
  readonly run: (event: KeyboardEvent) => void
  /** True if the shortcut also works while a field has the focus. Chords with `mod` always do. */
  readonly inFields?: boolean
}

/** Returns a function for the shortcuts of one group, so that the group is named only once. */
export function shortcutsOf(group: string) {
  return (keys: readonly KeySpec[], label: string, run: () => void): Shortcut => ({
    keys,
    label,
    group,
    run,
  })
}

type Held = { readonly id: number; readonly place: number; readonly shortcut: Shortcut }

export const useShortcutList = create<{ held: readonly Held[] }>(() => ({ held: [] }))

let nextId = 0
let lastPlace = 0
let waitingFor: { first: string; until: number } | undefined
const sequenceMs = 1500

function newPosition(): number {
  lastPlace += 1
  return lastPlace
}

/**
 * Adds a shortcut. Of two shortcuts for the same key the later position takes precedence. Returns a
 * function that removes it.
 */
export function registerShortcut(shortcut: Shortcut, place = newPosition()): () => void {
  nextId += 1
  const id = nextId
  useShortcutList.setState(({ held }) => ({
    held: [...held, { id, place, shortcut }].sort((a, b) => a.place - b.place),
  }))
  return () => {
    useShortcutList.setState(({ held }) => ({ held: held.filter((each) => each.id !== id) }))
  }
}

/**
 * Registers shortcuts while a component is mounted. `run` may change with each render. The
 * shortcuts of a component take precedence over those of its ancestors.
 */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  // The position is determined while rendering, from the outside in, because effects run from the inside out.
  const [place] = useState(newPosition)
  const latest = useRef(shortcuts)
  // The effect runs before the next key can arrive; an effect after the paint would lose a key that
  // is pressed at once.
  useLayoutEffect(() => {
    latest.current = shortcuts
  })
  const shape = JSON.stringify(
    shortcuts.map(({ keys, label, group, inFields }) => ({ keys, label, group, inFields })),
  )
  useLayoutEffect(() => {
    const fixed = JSON.parse(shape) as Omit<Shortcut, 'run'>[]
    const removes = fixed.map((each, index) =>
      registerShortcut({ ...each, run: (event) => latest.current[index]?.run(event) }, place),
    )
    return () => {
      for (const remove of removes) remove()
    }
  }, [shape, place])
}

type Target = { readonly closest: (selector: string) => unknown }

const fields = 'input:not([type=checkbox],[type=radio]),textarea,select,[contenteditable=true]'
/** These elements handle their own keys, and a dialog blocks the page's keys. */
const modal = '[role=dialog],[role=alertdialog],[role=menu],[role=listbox]'
const ownEnter = 'button,a,summary,[role=tab],[role=switch],[role=option],[role=treeitem]'
const ownArrows = '[role=tab],[role=separator],[role=radio],[role=combobox],[role=tree]'

/** True if the focused element handles this key itself. */
export function isTaken(key: string, hasMod: boolean, inFields: boolean, target: Target | null) {
  if (target === null) return false
  if (target.closest(modal) !== null && target.closest(modal) !== undefined) return true
  const within = (selector: string) => Boolean(target.closest(selector))
  if (within(fields)) return !hasMod && !inFields
  if (key === 'Enter' || key === ' ') return within(ownEnter)
  if (/^(Arrow|Home$|End$|Page)/.test(key)) return within(ownArrows)
  return false
}

/** Names a pressed key as in a `KeySpec`. */
export function nameKey(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>,
  isMac: boolean,
): string | null {
  if (event.altKey || (isMac ? event.ctrlKey : event.metaKey)) return null
  const mod = isMac ? event.metaKey : event.ctrlKey
  const single = event.key.length === 1
  const key =
    single && event.shiftKey && !mod ? event.key : single ? event.key.toLowerCase() : event.key
  // A sign such as `?` already includes its Shift.
  const shift = event.shiftKey && (mod || !single)
  return `${mod ? 'mod+' : ''}${shift ? 'shift+' : ''}${key}`
}

/** Finds the shortcut for a key, given the previous key. */
export function findShortcut(
  locked: readonly Held[],
  name: string,
  first: string | undefined,
): Shortcut | 'wait' | undefined {
  const newestFirst = locked.toReversed()
  const has = (spec: KeySpec) => newestFirst.find((each) => each.shortcut.keys.includes(spec))
  const sequence = first === undefined ? undefined : has(`${first} ${name}`)
  if (sequence !== undefined) return sequence.shortcut
  const single = has(name)
  if (single !== undefined) return single.shortcut
  const begins = locked.some(({ shortcut }) =>
    shortcut.keys.some((spec) => spec.startsWith(`${name} `)),
  )
  return begins ? 'wait' : undefined
}

/**
 * Runs the action of a key that was pressed in a component with its own keys, unless Ctrl, Meta or
 * Alt is held.
 */
export function runKey(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'preventDefault'>,
  actions: Readonly<Record<string, () => void>>,
): void {
  if (!Object.hasOwn(actions, event.key) || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  actions[event.key]?.()
}

const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)

/** True while a dialog is open, or about to open, that does not contain the focus yet: keys are meant for it. */
function isBehindDialog(target: Element | null): boolean {
  const dialogs = [...document.querySelectorAll('[data-modal]:not([data-closed])')]
  return dialogs.length > 0 && !dialogs.some((each) => each.contains(target))
}

/** Listens to the keyboard for the whole window. Called once. */
export function startKeyboard(): () => void {
  const press = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return
    const name = nameKey(event, isMac)
    if (name === null) return
    const first = waitingFor && waitingFor.until > event.timeStamp ? waitingFor.first : undefined
    waitingFor = undefined
    const found = findShortcut(useShortcutList.getState().held, name, first)
    const target = event.target instanceof Element ? event.target : null
    if (isBehindDialog(target)) return
    const inFields = found !== undefined && found !== 'wait' && found.inFields === true
    if (found === undefined || isTaken(event.key, name.startsWith('mod+'), inFields, target)) return
    if (found === 'wait') {
      waitingFor = { first: name, until: event.timeStamp + sequenceMs }
      return
    }
    event.preventDefault()
    found.run(event)
  }
  window.addEventListener('keydown', press)
  return () => window.removeEventListener('keydown', press)
}

const text = new Map([
  ['ArrowDown', '↓'],
  ['ArrowUp', '↑'],
  ['ArrowLeft', '←'],
  ['ArrowRight', '→'],
  ['Escape', 'Esc'],
  [' ', 'Space'],
])

/** Formats a `KeySpec` as on the keyboard: `Ctrl K`, `⌘ K`, `g then i`. */
export function formatKeys(spec: KeySpec): string {
  return spec
    .split(/(?<=.) (?=.)/)
    .map((part) =>
      part
        .split(/\+(?=.)/)
        .map((key) => {
          if (key === 'mod') return isMac ? '⌘' : 'Ctrl'
          if (key === 'shift') return 'Shift'
          const inChord = part.startsWith('mod+')
          return text.get(key) ?? (inChord && key.length === 1 ? key.toUpperCase() : key)
        })
        .join(' '),
    )
    .join(' then ')
}

/**
 * j and k move through the links of a short list that have `data-walk`, unless `keys` is null;
 * Enter opens a link.
 */
export function useLinkKeys(
  body: RefObject<HTMLElement | null>,
  keys: { readonly group: string; readonly thing: string } | null,
): void {
  const walk = (step: 1 | -1) => {
    const links = [...(body.current?.querySelectorAll<HTMLElement>('[data-walk]') ?? [])]
    const at = links.findIndex((each) => each === document.activeElement)
    const next = at === -1 ? (step === 1 ? 0 : links.length - 1) : at + step
    links[Math.min(links.length - 1, Math.max(0, next))]?.focus()
  }
  const key = shortcutsOf(keys?.group ?? '')
  useShortcuts(
    keys === null
      ? []
      : [
          key(['j', 'ArrowDown'], `Next ${keys.thing}`, () => walk(1)),
          key(['k', 'ArrowUp'], `Previous ${keys.thing}`, () => walk(-1)),
        ],
  )
}

/** Moves the focus to the heading of the page. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('#page h1')?.focus({ preventScroll: true })
}

const rowsOfLists = 'tr,li,[role=row]'

/** The focused element with its surroundings, for the time after its removal. */
function rememberFocus(element: Element) {
  const row = element.closest(rowsOfLists)
  const list = row?.parentElement ?? null
  const index = row === null || list === null ? 0 : [...list.children].indexOf(row)
  const area = element.closest<HTMLElement>('[tabindex="-1"]:not(#page)')
  const next = () => {
    const rows = list?.isConnected === true ? list.children : []
    const other = rows[Math.min(index, rows.length - 1)]
    return other?.querySelector<HTMLElement>('a[href],button:enabled,input:enabled') ?? null
  }
  return { element, area, next }
}

/**
 * When the focused element goes away (a row is deleted, a dialog closes, a button was needed once), the next
 * row, the area around it or the heading of the page takes the focus. Otherwise the keyboard would begin at the
 * top of the window. Called once.
 */
export function startFocusFallback(): void {
  let focused: Element | null = null
  let inPage: ReturnType<typeof rememberFocus> | null = null
  const settle = () => {
    if (document.activeElement !== document.body) return
    if (inPage?.element.isConnected === true) (inPage.element as HTMLElement).focus()
    else inPage?.next()?.focus()
    if (document.activeElement === document.body) inPage?.area?.focus({ preventScroll: true })
    if (document.activeElement === document.body) focusHeading()
  }
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return
    focused = target
    if (target.closest('#page') !== null) inPage = rememberFocus(target)
  })
  new MutationObserver(() => {
    if (focused === null || focused.isConnected) return
    focused = null
    // A dialog returns the focus in the next frame.
    requestAnimationFrame(() => requestAnimationFrame(settle))
  }).observe(document.body, { childList: true, subtree: true })
}

/** The address of a followed link, until the heading of what it opens is shown. */
let awaited: string | null = null
let shown: HTMLElement | null = null

export const isAwaited = () => awaited === window.location.hash

function focusAwaited(): void {
  if (shown === null || !isAwaited()) return
  awaited = null
  shown.focus()
}

/** The heading of what this link opens takes the focus once it is shown. */
export function awaitHeading(href: string): void {
  awaited = href
  focusAwaited()
}

/** The `ref` of a heading that such a link may lead to. */
export function awaitedHeading(heading: HTMLElement | null): void {
  shown = heading
  focusAwaited()
}
