import type { Ref } from 'react'
import { IconButton } from '../../../ui/button.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { sayCheck, shortTarget } from './target-words.ts'
import type { TargetCheck } from './use-target-check.ts'
import styles from './targets.module.css'

/** A URL to send to, and beside it what would be done with it. */
export function TargetField({
  label,
  hideLabel = false,
  value,
  onChange,
  check,
  error,
  suggestions = [],
  onRemove,
  ref,
}: {
  label: string
  hideLabel?: boolean
  value: string
  onChange: (url: string) => void
  check: TargetCheck
  error?: string | undefined
  /** Offered below, for one press. */
  suggestions?: readonly string[]
  onRemove?: (() => void) | undefined
  ref?: Ref<HTMLInputElement> | undefined
}) {
  const said = sayCheck(check)
  const offered = suggestions.filter((url) => url !== value.trim())
  return (
    <div className={styles['target']}>
      <TextField
        ref={ref}
        label={label}
        hideLabel={hideLabel}
        mono
        type="url"
        inputMode="url"
        maxLength={2000}
        placeholder="http://localhost:3000/webhook"
        value={value}
        onChange={onChange}
        error={error}
        {...(onRemove !== undefined && {
          suffix: (
            <IconButton icon="close" label={`Remove ${label.toLowerCase()}`} onClick={onRemove} />
          ),
        })}
      />
      <p className={styles['verdict']} aria-live="polite">
        {said !== null && error === undefined && (
          <>
            <Tag tone={said.tone}>{said.word}</Tag> {said.detail}
          </>
        )}
        {check.status === 'checking' && 'Looking it up…'}
      </p>
      {offered.length > 0 && (
        <ul className={styles['offered']} aria-label="Targets used before">
          {offered.map((url) => (
            <li key={url}>
              <button
                type="button"
                className={styles['offer']}
                title={url}
                onClick={() => onChange(url)}
              >
                {shortTarget(url)}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
