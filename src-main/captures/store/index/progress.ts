import type { Database } from '../../../database/database.ts'

/** How far the index has followed the log. Saved with what it describes, in one transaction. */
export type Progress = {
  get(): { indexedTo: number; deletionsTo: number }
  setIndexedTo(id: number): void
  setDeletionsTo(seq: number): void
}

export function createProgress(database: Database): Progress {
  const get = database.prepare('SELECT indexed_to, deletions_to FROM progress')
  const setIndexed = database.prepare('UPDATE progress SET indexed_to = ?')
  const setDeletions = database.prepare('UPDATE progress SET deletions_to = ?')
  return {
    get() {
      const row = get.get()
      return {
        indexedTo: Number(row?.['indexed_to']),
        deletionsTo: Number(row?.['deletions_to']),
      }
    },
    setIndexedTo: (id) => {
      setIndexed.run(id)
    },
    setDeletionsTo: (seq) => {
      setDeletions.run(seq)
    },
  }
}
