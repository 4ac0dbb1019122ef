import { useRef, useState } from 'react'
import { create } from 'zustand'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import type { QueryFieldHandle } from '../../../components/query/query-field.tsx'
import { type RuleDraft, newRule } from './rule-draft.ts'
import { RuleForm } from './rule-form.tsx'

const useEditing = create<{ readonly draft: RuleDraft | null }>(() => ({ draft: null }))

/** Opens the dialog on a rule, or on a new one with what is known of it already. */
export function openAnswerRule(known: Partial<RuleDraft> = {}): void {
  useEditing.setState({ draft: { ...newRule, ...known } })
}

const close = () => useEditing.setState({ draft: null })

export function AnswerRuleDialog() {
  const draft = useEditing((state) => state.draft)
  // While it fades away it stays what it was.
  const [shown, setShown] = useState<RuleDraft | null>(null)
  if (draft !== null && draft !== shown) setShown(draft)
  const first = useRef<QueryFieldHandle>(null)
  return (
    <FormDialog
      open={draft !== null}
      onClose={close}
      wide
      title={(shown?.id ?? null) === null ? 'New answer rule' : 'Edit the rule'}
      detail="What it takes is kept as any delivery is; only the answer is another."
    >
      {shown !== null && <RuleForm given={shown} first={first} onClose={close} />}
    </FormDialog>
  )
}
