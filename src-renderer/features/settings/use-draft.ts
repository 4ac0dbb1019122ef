import { useState } from 'react'
import type { Save } from './use-save.ts'

/** What was typed into a section's form and not saved yet; the rest is as the settings have it. */
export function useDraft<Draft extends object>(save: Save) {
  const [draft, setDraft] = useState<Partial<Draft>>({})
  const clear = () => setDraft({})
  return {
    draft,
    change: (part: Partial<Draft>) => setDraft((former) => ({ ...former, ...part })),
    clear,
    /** For the section's form. */
    form: {
      save,
      dirty: Object.keys(draft).length > 0,
      onReset: () => {
        clear()
        save.refuse({})
      },
    },
  }
}
