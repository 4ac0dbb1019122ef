import { Button, IconButton } from '../../../ui/button.tsx'
import { Choices } from '../../../ui/chip.tsx'
import { TextArea, TextField } from '../../../ui/text-field.tsx'
import { type BodyEdit, turnBody, warnOfBody } from './body-edit.ts'
import { layOutJson } from './json-layout.ts'
import type { DraftErrors } from '../../../app/use-draft.ts'
import type { RequestEdit } from './request-edit.ts'
import styles from './replay-form.module.css'

type Props = {
  edit: RequestEdit
  /** Why the body cannot be edited as text; null when it can. */
  textProblem: string | null
  errors: DraftErrors
  onChange: (edit: RequestEdit) => void
}

export function EditFields({ edit, textProblem, errors, onChange }: Props) {
  const change = (part: Partial<RequestEdit>) => onChange({ ...edit, ...part })
  return (
    <div className={styles['edit']}>
      <div className={styles['requestLine']}>
        <TextField
          label="Method"
          mono
          value={edit.method}
          onChange={(method) => change({ method: method.toUpperCase() })}
          error={errors['method']}
        />
        <TextField
          label="Path and query below the target’s"
          mono
          placeholder="used where the path is appended"
          value={edit.subpath}
          onChange={(subpath) => change({ subpath })}
          error={errors['subpath']}
        />
      </div>
      <Headers edit={edit} errors={errors} onChange={(headers) => change({ headers })} />
      <Body
        body={edit.body}
        textProblem={textProblem}
        error={errors['body'] ?? errors['edit.body']}
        onChange={(body) => change({ body })}
      />
    </div>
  )
}

function Headers({
  edit: { headers },
  errors,
  onChange,
}: {
  edit: RequestEdit
  errors: DraftErrors
  onChange: (headers: RequestEdit['headers']) => void
}) {
  const set = (key: number, part: { name?: string; value?: string }) =>
    onChange(headers.map((each) => (each.key === key ? { ...each, ...part } : each)))
  const add = () => {
    const key = Math.max(-1, ...headers.map((each) => each.key)) + 1
    onChange([...headers, { key, name: '', value: '' }])
  }
  return (
    <div className={styles['field']} role="group" aria-label="Headers">
      <span className={styles['label']}>Headers</span>
      {headers.map(({ key, name, value }, index) => (
        <div key={key} className={styles['header']}>
          <TextField
            label={`Name of header ${String(index + 1)}`}
            hideLabel
            mono
            value={name}
            onChange={(next) => set(key, { name: next })}
            error={errors[`headers.${String(key)}`]}
          />
          <TextField
            label={`Value of header ${String(index + 1)}`}
            hideLabel
            mono
            value={value}
            onChange={(next) => set(key, { value: next })}
          />
          <IconButton
            icon="close"
            label={`Remove header ${name === '' ? String(index + 1) : name}`}
            onClick={() => onChange(headers.filter((each) => each.key !== key))}
          />
        </div>
      ))}
      <div>
        <Button icon="plus" kind="quiet" onClick={add}>
          Add a header
        </Button>
      </div>
    </div>
  )
}

function Body({
  body,
  textProblem,
  error,
  onChange,
}: {
  body: BodyEdit
  textProblem: string | null
  error: string | undefined
  onChange: (body: BodyEdit) => void
}) {
  const warning = warnOfBody(body)
  const laidOut = body.as === 'text' ? layOutJson(body.text) : null
  return (
    <div className={styles['field']}>
      <div className={styles['bodyHead']}>
        <Choices<BodyEdit['as']>
          label="Body as"
          value={body.as}
          options={[
            { value: 'text', label: 'Text' },
            { value: 'base64', label: 'Base64' },
          ]}
          onChange={(as) => {
            const turned = as === body.as ? null : turnBody(body)
            if (turned !== null) onChange(turned)
          }}
        />
        {body.as === 'text' && (
          <Button
            kind="quiet"
            disabled={laidOut === null || laidOut === body.text}
            onClick={() => laidOut !== null && onChange({ ...body, text: laidOut })}
          >
            Lay out JSON
          </Button>
        )}
        <span className={styles['hint']}>
          {body.isCompact && 'Goes out without the spaces, as it came.'}
          {body.as === 'base64' && textProblem}
        </span>
      </div>
      <TextArea
        label="Body"
        hideLabel
        mono
        rows={14}
        spellCheck={false}
        value={body.text}
        onChange={(text) => onChange({ ...body, text })}
        error={error}
        hint={warning}
      />
    </div>
  )
}
