import { type RefObject, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import type { DraftErrors } from '../../../app/use-draft.ts'
import { useRecentTargets } from '../targets/recent-targets.ts'
import { TargetField } from '../targets/target-field.tsx'
import { useTargetCheck } from '../targets/use-target-check.ts'
import { mostTargets } from './rule-draft.ts'
import styles from './target-fields.module.css'

/** Where it goes: one URL, or up to ten that each get every delivery. */
export function TargetFields({
  targets,
  errors,
  first,
  onChange,
}: {
  targets: readonly string[]
  errors: DraftErrors
  first: RefObject<HTMLInputElement | null>
  onChange: (targets: readonly string[]) => void
}) {
  /** Fields keep their own identity: one is removed from among them. */
  const [keys, setKeys] = useState(() => targets.map((_, index) => index))
  const recent = useRecentTargets((state) => state.urls)
  const set = (index: number, url: string) => onChange(targets.with(index, url))
  const add = () => {
    setKeys([...keys, Math.max(...keys) + 1])
    onChange([...targets, ''])
  }
  const remove = (index: number) => {
    setKeys(keys.toSpliced(index, 1))
    onChange(targets.toSpliced(index, 1))
  }
  return (
    <div className={styles['targets']}>
      {targets.map((url, index) => (
        <Target
          key={keys[index]}
          label={targets.length === 1 ? 'Send to' : `Target ${index + 1}`}
          url={url}
          error={errors[`targets.${index}`] ?? (index === 0 ? errors['targets'] : undefined)}
          recent={url === '' ? recent.filter((each) => !targets.includes(each)) : []}
          field={index === 0 ? first : undefined}
          onChange={(next) => set(index, next)}
          onRemove={targets.length > 1 ? () => remove(index) : undefined}
        />
      ))}
      {targets.length < mostTargets && (
        <div>
          <Button icon="plus" kind="quiet" onClick={add}>
            Add a target
          </Button>
        </div>
      )}
    </div>
  )
}

function Target({
  label,
  url,
  error,
  recent,
  field,
  onChange,
  onRemove,
}: {
  label: string
  url: string
  error: string | undefined
  recent: readonly string[]
  field: RefObject<HTMLInputElement | null> | undefined
  onChange: (url: string) => void
  onRemove: (() => void) | undefined
}) {
  const check = useTargetCheck(url)
  return (
    <TargetField
      ref={field}
      label={label}
      value={url}
      onChange={onChange}
      check={check}
      error={error}
      suggestions={recent}
      onRemove={onRemove}
    />
  )
}
