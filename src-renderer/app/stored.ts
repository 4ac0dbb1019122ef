import { create } from 'zustand'

/**
 * A choice of the user that stays in `localStorage`.
 * @param parse completes what is stored, and corrects what another version or the user wrote there
 */
export function createStored<T extends object>(key: string, parse: (stored: Partial<T>) => T) {
  const read = () => {
    try {
      return parse(JSON.parse(window.localStorage.getItem(key) ?? '{}') as Partial<T>)
    } catch {
      return parse({})
    }
  }
  const use = create<T>(read)
  return {
    use,
    change: (part: Partial<T>) => {
      use.setState(part)
      window.localStorage.setItem(key, JSON.stringify(use.getState()))
    },
  }
}
