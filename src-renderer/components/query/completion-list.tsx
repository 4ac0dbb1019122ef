import { useEffect, useRef } from 'react'
import { classes } from '../../ui/classes.ts'
import styles from './query.module.css'

export type Choice = { readonly text: string; readonly hint: string }

export const choiceId = (listId: string, index: number) => `${listId}-${index}`

/** What could stand at the cursor. The field keeps the focus and names the active choice. */
export function CompletionList({
  id,
  label,
  choices,
  active,
  left,
  onChoose,
}: {
  id: string
  label: string
  choices: readonly Choice[]
  active: number | null
  /** Where the completed text begins, in pixels from the field's left edge. */
  left: number
  onChoose: (index: number) => void
}) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (active !== null) list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={label}
      className={styles['choices']}
      style={{ left, maxWidth: `min(560px, calc(100% - ${left}px))` }}
      // The field is not to lose the focus.
      onMouseDown={(event) => event.preventDefault()}
    >
      {choices.map((choice, index) => (
        <div
          key={choice.text}
          id={choiceId(id, index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className={classes(styles['choice'], index === active && styles['active'])}
          onClick={() => onChoose(index)}
        >
          <span className={styles['choiceText']}>{choice.text}</span>
          <span className={styles['hint']}>{choice.hint}</span>
        </div>
      ))}
    </div>
  )
}
