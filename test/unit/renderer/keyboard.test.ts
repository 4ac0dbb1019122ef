import { afterEach, describe, expect, it } from 'vitest'
import {
  type Shortcut,
  findShortcut,
  isTaken,
  nameKey,
  formatKeys,
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
/** Creates an element inside elements that match the selectors. */
const within = (...selectors: string[]) => ({
  closest: (list: string) =>
    selectors.some((selector) => list.split(',').includes(selector)) ? {} : null,
})

afterEach(() => useShortcutList.setState({ held: [] }))

describe('the names of keys', () => {
  it.each([
    ['j', { key: 'j' }, false],
    ['?', { key: '?', shiftKey: true }, false],
    ['G', { key: 'G', shiftKey: true }, false],
    ['mod+k', { key: 'k', ctrlKey: true }, false],
    ['mod+k', { key: 'K', ctrlKey: true }, false],
    ['mod+k', { key: 'k', metaKey: true }, true],
    ['mod+shift+c', { key: 'C', ctrlKey: true, shiftKey: true }, false],
    ['shift+ArrowDown', { key: 'ArrowDown', shiftKey: true }, false],
  ])('a pressed key is named %s', (name, event, isMac) => {
    expect(nameKey({ ...plain, ...event }, isMac)).toBe(name)
  })

  it('keys of the other operating system and keys with Alt have no name', () => {
    expect(nameKey({ ...plain, key: 'k', metaKey: true }, false)).toBeNull()
    expect(nameKey({ ...plain, key: 'a', ctrlKey: true }, true)).toBeNull()
    expect(nameKey({ ...plain, key: 'j', altKey: true }, false)).toBeNull()
  })
})

describe('the registered shortcuts', () => {
  it('the shortcut that is registered later receives the key, until it is removed', () => {
    registerShortcut(shortcut(['/'], 'frame'))
    const remove = registerShortcut(shortcut(['/'], 'page'))
    expect(findShortcut(held(), '/', undefined)).toMatchObject({ label: 'page' })
    remove()
    expect(findShortcut(held(), '/', undefined)).toMatchObject({ label: 'frame' })
  })

  // React runs the effects of inner components first.
  it('the shortcut of the inner component receives the key, whichever is registered first', () => {
    registerShortcut(shortcut(['Escape'], 'inner'), 8)
    registerShortcut(shortcut(['Escape'], 'outer'), 7)
    expect(findShortcut(held(), 'Escape', undefined)).toMatchObject({ label: 'inner' })
  })

  it('the first key of a sequence waits for the second key and runs nothing alone', () => {
    registerShortcut(shortcut(['g i'], 'inspector'))
    expect(findShortcut(held(), 'g', undefined)).toBe('wait')
    expect(findShortcut(held(), 'i', 'g')).toMatchObject({ label: 'inspector' })
    expect(findShortcut(held(), 'i', undefined)).toBeUndefined()
    expect(findShortcut(held(), 'i', 'x')).toBeUndefined()
  })
})

describe('keys that belong to an element', () => {
  it('a field keeps letters, but not key combinations and shortcuts that are allowed in fields', () => {
    const field = within('textarea')
    expect(isTaken('j', false, false, field)).toBe(true)
    expect(isTaken('k', true, false, field)).toBe(false)
    expect(isTaken('Escape', false, true, field)).toBe(false)
  })

  it('a dialog keeps every key', () => {
    expect(isTaken('k', true, true, within('[role=dialog]'))).toBe(true)
  })

  it('buttons keep Enter, and the splitter keeps the arrow keys', () => {
    expect(isTaken('Enter', false, false, within('button'))).toBe(true)
    expect(isTaken('j', false, false, within('button'))).toBe(false)
    expect(isTaken('ArrowDown', false, false, within('button'))).toBe(false)
    expect(isTaken('ArrowLeft', false, false, within('[role=separator]'))).toBe(true)
  })
})

describe('displayed keys', () => {
  it.each([
    ['mod+k', 'Ctrl K'],
    ['g i', 'g then i'],
    ['ArrowDown', '↓'],
    ['?', '?'],
    ['mod++', 'Ctrl +'],
    ['mod+Enter', 'Ctrl Enter'],
  ])('the shortcut %s is displayed as %s', (spec, text) => {
    expect(formatKeys(spec)).toBe(text)
  })
})
