import type { QueryPart } from '../../../src-preload/contract/capture-query.ts'
import { classes } from '../../ui/classes.ts'
import { Icon } from '../../ui/icons.tsx'
import { UntrustedText } from '../body/untrusted-text.tsx'
import { formatSpan, readSpan } from '../../features/captures/histogram/time-span.ts'
import styles from './query.module.css'

/** The parts of a query, each of which can be changed, turned round and taken out. */
export function QueryChips({
  parts,
  onEdit,
  onTurn,
  onRemove,
}: {
  parts: readonly QueryPart[]
  onEdit: (part: QueryPart) => void
  onTurn: (part: QueryPart) => void
  onRemove: (part: QueryPart) => void
}) {
  if (parts.length === 0) return null
  return (
    <ul className={styles['chips']} aria-label="Parts of the query">
      {parts.map((part, index) => {
        const name = part.field === null ? part.value : `${part.field}:${part.value}`
        return (
          <li
            key={`${index} ${name}`}
            className={classes(styles['chip'], part.negated && styles['negated'])}
          >
            <button
              type="button"
              className={styles['turn']}
              aria-pressed={part.negated}
              aria-label={`Leave out ${name}`}
              title={part.negated ? 'Left out. Press to find it.' : 'Press to leave it out.'}
              onClick={() => onTurn(part)}
            >
              {part.negated ? 'not' : '−'}
            </button>
            <button
              type="button"
              className={styles['part']}
              aria-label={`Edit ${name}`}
              title={`${name}\nPress to edit it.`}
              onClick={() => onEdit(part)}
            >
              {part.field !== null && <span className={styles['field']}>{part.field}:</span>}
              <span className={styles['value']}>
                <UntrustedText text={shownValue(part)} />
              </span>
              {part.slow && (
                <span
                  className={styles['slow']}
                  title="No index has it: captures are read one by one."
                >
                  slow
                </span>
              )}
            </button>
            <button
              type="button"
              className={styles['remove']}
              aria-label={`Remove ${name}`}
              title="Remove"
              onClick={() => onRemove(part)}
            >
              <Icon name="close" size={11} />
            </button>
          </li>
        )
      })}
    </ul>
  )
}

/** A time that was chosen by hand is long in the language, and is shown as this computer's. */
function shownValue({ field, value }: QueryPart): string {
  const span = field === 'received' ? readSpan(value) : null
  return span === null ? value : formatSpan(span)
}
