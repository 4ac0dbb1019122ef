import type { Notice } from '../../src-preload/contract/app.ts'

export type Notices = ReturnType<typeof createNotices>

/** Notices are only in memory, because each start checks their causes again. */
export function createNotices(onChanged: (notices: Notice[]) => void, now: () => number) {
  const notices = new Map<string, Notice>()
  const list = () => [...notices.values()].sort((a, b) => b.raisedAt - a.raisedAt)
  function clear(id: string): void {
    if (notices.delete(id)) onChanged(list())
  }
  return {
    list,
    raise(notice: Omit<Notice, 'raisedAt'>): void {
      const before = notices.get(notice.id)
      if (before?.detail === notice.detail && before.level === notice.level) return
      // A notice of the same level keeps its time when its text changes.
      const raisedAt = before?.level === notice.level ? before.raisedAt : now()
      notices.set(notice.id, { ...notice, raisedAt })
      onChanged(list())
    },
    clear,
    dismiss(id: string): void {
      if (notices.get(id)?.dismissible === true) clear(id)
    },
  }
}
