import { create } from 'zustand'

function readStored<T>(key: string, parse: (stored: unknown) => T): T {
  try {
    return parse(JSON.parse(window.localStorage.getItem(key) ?? '{}'))
  } catch {
    return parse({})
  }
}

/**
 * Stores a choice of the user in `localStorage`.
 * @param parse completes the stored value, and corrects values of another version or of the user
 */
export function createStored<T extends object>(key: string, parse: (stored: Partial<T>) => T) {
  const use = create<T>(() => readStored(key, (stored) => parse(stored as Partial<T>)))
  return {
    use,
    change: (part: Partial<T>) => {
      use.setState(part)
      window.localStorage.setItem(key, JSON.stringify(use.getState()))
    },
  }
}

/** Stores recently used texts, newest first; values of an earlier version with another form are skipped. */
export function createRecent(key: string, max: number) {
  const parse = (stored: unknown): readonly string[] =>
    Array.isArray(stored) ? stored.filter((each) => typeof each === 'string').slice(0, max) : []
  const use = create(() => ({ recent: readStored(key, parse) }))
  return {
    use,
    remember: (text: string) => {
      const others = use.getState().recent.filter((each) => each !== text)
      const recent = [text, ...others].slice(0, max)
      use.setState({ recent })
      window.localStorage.setItem(key, JSON.stringify(recent))
    },
  }
}
