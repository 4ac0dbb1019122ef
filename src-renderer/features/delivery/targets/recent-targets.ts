import { create } from 'zustand'

const storageKey = 'tondesk.targets'
const most = 6

/** What was sent to lately, newest first. Kept in this window's own storage. */
export const useRecentTargets = create<{ readonly urls: readonly string[] }>(() => ({
  urls: read(),
}))

export function rememberTarget(url: string): void {
  const urls = addTarget(useRecentTargets.getState().urls, url)
  useRecentTargets.setState({ urls })
  window.localStorage.setItem(storageKey, JSON.stringify(urls))
}

function addTarget(known: readonly string[], url: string): string[] {
  return [url, ...known.filter((each) => each !== url)].slice(0, most)
}

/** What a former version has written may be of another shape: it is left out. */
function read(): string[] {
  try {
    const value: unknown = JSON.parse(window.localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(value)
      ? value.filter((each): each is string => typeof each === 'string').slice(0, most)
      : []
  } catch {
    return []
  }
}
