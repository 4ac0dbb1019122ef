import { useRef } from 'react'
import { create } from 'zustand'
import { Dialog } from '../../ui/dialog.tsx'
import type { QueryFieldHandle } from '../inspector/query/query-field.tsx'
import type { RuleDraft } from './rule-draft.ts'
import { newRule } from './rule-draft.ts'
import { RuleForm } from './rule-form.tsx'

const useEditing = create<{ readonly draft: RuleDraft | null }>(() => ({ draft: null }))

/** Opens the dialog on a rule, or on a new one with what is known of it already. */
export function openAnswerRule(known: Partial<RuleDraft> = {}): void {
  useEditing.setState({ draft: { ...newRule, ...known } })
}

const close = () => useEditing.setState({ draft: null })

export function AnswerRuleDialog() {
  const draft = useEditing((state) => state.draft)
  const first = useRef<QueryFieldHandle>(null)
  return (
    <Dialog
      open={draft !== null}
      onClose={close}
      wide
      title={draft === null || draft.id === null ? 'New answer rule' : 'Edit the rule'}
      detail="What it takes is kept as any delivery is; only the answer is another."
    >
      {draft !== null && <RuleForm given={draft} first={first} onClose={close} />}
    </Dialog>
  )
}
