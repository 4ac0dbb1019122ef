import { create } from 'zustand'

const storageKey = 'tondesk.queries'
const mostKept = 20

/** What was asked for lately, the newest first. Kept in this window's own storage. */
export const useRecentQueries = create<{ kept: readonly string[] }>(() => ({ kept: read() }))

export function rememberQuery(text: string): void {
  const { kept } = useRecentQueries.getState()
  if (text === '' || kept[0] === text) return
  const next = [text, ...kept.filter((each) => each !== text)].slice(0, mostKept)
  useRecentQueries.setState({ kept: next })
  window.localStorage.setItem(storageKey, JSON.stringify(next))
}

/** What a former version has written may be of another shape: it is left out. */
function read(): readonly string[] {
  try {
    const value: unknown = JSON.parse(window.localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}
