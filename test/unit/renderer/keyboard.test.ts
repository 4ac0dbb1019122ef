import { afterEach, describe, expect, it } from 'vitest'
import {
  type Shortcut,
  findShortcut,
  isTaken,
  nameKey,
  printKeys,
  registerShortcut,
  useShortcutList,
} from '../../../src-renderer/ui/keyboard.ts'

const plain = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false }
const shortcut = (keys: string[], label = ''): Shortcut => ({
  keys,
  label,
  group: 'Test',
  run: () => undefined,
})
const held = () => useShortcutList.getState().held
/** An element inside those named. */
const within = (...selectors: string[]) => ({
  closest: (list: string) =>
    selectors.some((selector) => list.split(',').includes(selector)) ? {} : null,
})

afterEach(() => useShortcutList.setState({ held: [] }))

describe('naming a key', () => {
  it.each([
    ['j', { key: 'j' }, false],
    ['?', { key: '?', shiftKey: true }, false],
    ['G', { key: 'G', shiftKey: true }, false],
    ['mod+k', { key: 'k', ctrlKey: true }, false],
    ['mod+k', { key: 'K', ctrlKey: true }, false],
    ['mod+k', { key: 'k', metaKey: true }, true],
    ['mod+shift+c', { key: 'C', ctrlKey: true, shiftKey: true }, false],
    ['shift+ArrowDown', { key: 'ArrowDown', shiftKey: true }, false],
  ])('%s', (name, event, isMac) => {
    expect(nameKey({ ...plain, ...event }, isMac)).toBe(name)
  })

  it('leaves the keys of the other system and Alt alone', () => {
    expect(nameKey({ ...plain, key: 'k', metaKey: true }, false)).toBeNull()
    expect(nameKey({ ...plain, key: 'a', ctrlKey: true }, true)).toBeNull()
    expect(nameKey({ ...plain, key: 'j', altKey: true }, false)).toBeNull()
  })
})

describe('the registry', () => {
  it('lets the later one have the key, and gives it back', () => {
    registerShortcut(shortcut(['/'], 'frame'))
    const remove = registerShortcut(shortcut(['/'], 'page'))
    expect(findShortcut(held(), '/', undefined)).toMatchObject({ label: 'page' })
    remove()
    expect(findShortcut(held(), '/', undefined)).toMatchObject({ label: 'frame' })
  })

  // React runs the effects of what is inside first.
  it('lets the inner one have the key, whichever is registered first', () => {
    registerShortcut(shortcut(['Escape'], 'inner'), 8)
    registerShortcut(shortcut(['Escape'], 'outer'), 7)
    expect(findShortcut(held(), 'Escape', undefined)).toMatchObject({ label: 'inner' })
  })

  it('waits for the second key of a sequence and does not take it alone', () => {
    registerShortcut(shortcut(['g i'], 'inspector'))
    expect(findShortcut(held(), 'g', undefined)).toBe('wait')
    expect(findShortcut(held(), 'i', 'g')).toMatchObject({ label: 'inspector' })
    expect(findShortcut(held(), 'i', undefined)).toBeUndefined()
    expect(findShortcut(held(), 'i', 'x')).toBeUndefined()
  })
})

describe('where a key belongs to someone else', () => {
  it('does not take letters from a field, but chords and what asks for it', () => {
    const field = within('textarea')
    expect(isTaken('j', false, false, field)).toBe(true)
    expect(isTaken('k', true, false, field)).toBe(false)
    expect(isTaken('Escape', false, true, field)).toBe(false)
  })

  it('keeps every key inside a dialog', () => {
    expect(isTaken('k', true, true, within('[role=dialog]'))).toBe(true)
  })

  it('leaves Enter to buttons and links, and arrows to tabs and the splitter', () => {
    expect(isTaken('Enter', false, false, within('button'))).toBe(true)
    expect(isTaken('j', false, false, within('button'))).toBe(false)
    expect(isTaken('ArrowDown', false, false, within('button'))).toBe(false)
    expect(isTaken('ArrowLeft', false, false, within('[role=separator]'))).toBe(true)
  })
})

describe('printing keys', () => {
  it.each([
    ['mod+k', 'Ctrl K'],
    ['g i', 'g then i'],
    ['ArrowDown', '↓'],
    ['?', '?'],
    ['mod++', 'Ctrl +'],
    ['mod+Enter', 'Ctrl Enter'],
  ])('%s', (spec, text) => {
    expect(printKeys(spec)).toBe(text)
  })
})
