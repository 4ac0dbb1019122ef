import { useEffect, useState } from 'react'
import { attempt, request, useData, useDataOf } from '../../app/bridge.ts'
import { MessageDiff } from '../../components/delivery/diff-table.tsx'
import { Hint, Columns, Row, Stack, Tag, Small } from '../../ui/layout.tsx'
import { Button, IconButton, Choices } from '../../ui/button.tsx'
import { Field, TextArea, TextField } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import {
  type BodyEdit,
  type Editing,
  type RequestEdit,
  bodyWarning,
  convertBody,
  editOf,
  formatJson,
  parseEdit,
  revealSecrets,
} from './request-edit.ts'

type Errors = Readonly<Record<string, string | undefined>>

type EditorProps = {
  /** The id of the replayed capture. */
  id: number
  editing: Editing | null
  errors: Errors
  onChange: (editing: Editing) => void
}

/** The editor of a request before it is replayed, with the differences from the capture. */
export function RequestEditor({ id, editing, errors, onChange }: EditorProps) {
  const query = useData('replay.draft', { id })
  const draft = query.data
  useEffect(() => {
    if (draft !== undefined && editing === null) {
      onChange({ edit: editOf(draft), draft, isRevealed: false })
    }
  }, [draft, editing, onChange])
  return (
    <Loaded query={{ ...query, data: editing ?? undefined }} of="the request" rows={5}>
      {(loaded) => <Editor id={id} editing={loaded} errors={errors} onChange={onChange} />}
    </Loaded>
  )
}

function Editor({ id, editing, errors, onChange }: EditorProps & { editing: Editing }) {
  const [tab, setTab] = useState<'edit' | 'difference'>('edit')
  const { edit, draft, isRevealed } = editing
  const change = (part: Partial<RequestEdit>) =>
    onChange({ ...editing, edit: { ...edit, ...part } })
  const reveal = () =>
    attempt('Could not show the secrets', async () => {
      const whole = await request('replay.draft', { id, reveal: true })
      onChange({ edit: revealSecrets(edit, draft, whole), draft: whole, isRevealed: true })
    })
  return (
    <Stack line="box" pad="s">
      {draft.masked && !isRevealed && (
        <Hint>
          Secrets are masked here. Tondesk sends their real values unless you edit them.{' '}
          <Button kind="link" onClick={() => void reveal()}>
            Show secrets
          </Button>
        </Hint>
      )}
      <Tabs<'edit' | 'difference'>
        label="Edited request"
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: 'edit',
            label: 'Edit',
            panel: (
              <Stack gap="l" pad="s">
                <Columns least={220} gap="m">
                  <TextField
                    label="Method"
                    mono
                    value={edit.method}
                    onChange={(method) => change({ method: method.toUpperCase() })}
                    error={errors['method']}
                  />
                  <TextField
                    label="Path and query"
                    mono
                    placeholder="Sent only if “Append the path” is on"
                    value={edit.subpath}
                    onChange={(subpath) => change({ subpath })}
                    error={errors['subpath']}
                  />
                </Columns>
                <Columns least={400} gap="xl">
                  <Headers
                    headers={edit.headers}
                    errors={errors}
                    onChange={(headers) => change({ headers })}
                  />
                  <Body
                    body={edit.body}
                    textProblem={draft.textProblem}
                    errors={errors}
                    onChange={(body) => change({ body })}
                  />
                </Columns>
              </Stack>
            ),
          },
          {
            value: 'difference',
            label: 'Changes',
            panel: <Difference id={id} edit={edit} />,
          },
        ]}
      />
    </Stack>
  )
}

type PartProps<V> = { errors: Errors; onChange: (value: V) => void }

type HeaderEdits = RequestEdit['headers']

function Headers({ headers, errors, onChange }: PartProps<HeaderEdits> & { headers: HeaderEdits }) {
  const set = (key: number, part: { name?: string; value?: string }) =>
    onChange(headers.map((each) => (each.key === key ? { ...each, ...part } : each)))
  const add = () => {
    const key = Math.max(-1, ...headers.map((each) => each.key)) + 1
    onChange([...headers, { key, name: '', value: '' }])
  }
  return (
    <Field label="Headers">
      <Stack grow gap="s">
        {headers.map(({ key, name, value }, index) => (
          <Row key={key} gap="s" align="start">
            <Stack grow>
              <TextField
                label={`Name of header ${index + 1}`}
                hideLabel
                mono
                value={name}
                onChange={(next) => set(key, { name: next })}
                error={errors[`headers.${key}`]}
              />
            </Stack>
            <Stack grow>
              <TextField
                label={`Value of header ${index + 1}`}
                hideLabel
                mono
                value={value}
                onChange={(next) => set(key, { value: next })}
              />
            </Stack>
            <IconButton
              icon="close"
              label={`Remove header ${name === '' ? index + 1 : name}`}
              onClick={() => onChange(headers.filter((each) => each.key !== key))}
            />
          </Row>
        ))}
        <div>
          <Button icon="plus" kind="quiet" onClick={add}>
            Add header
          </Button>
        </div>
      </Stack>
    </Field>
  )
}

function Body({
  body,
  textProblem,
  errors,
  onChange,
}: PartProps<BodyEdit> & { body: BodyEdit; textProblem: string | null }) {
  const formatted = body.as === 'text' ? formatJson(body.text) : null
  return (
    <Stack gap="s">
      <Row wrap>
        <Choices<BodyEdit['as']>
          label="Body format"
          value={body.as}
          options={[
            { value: 'text', label: 'Text' },
            { value: 'base64', label: 'Base64' },
          ]}
          onChange={(as) => {
            const converted = as === body.as ? null : convertBody(body)
            if (converted !== null) onChange(converted)
          }}
        />
        {body.as === 'text' && (
          <Button
            kind="quiet"
            disabled={formatted === null || formatted === body.text}
            onClick={() => formatted !== null && onChange({ ...body, text: formatted })}
          >
            Format JSON
          </Button>
        )}
        <Small>
          {body.isCompact && 'Tondesk removes the added spaces before it sends the body.'}
          {body.as === 'base64' && textProblem}
        </Small>
      </Row>
      <TextArea
        label="Body"
        hideLabel
        mono
        rows={14}
        spellCheck={false}
        value={body.text}
        onChange={(text) => onChange({ ...body, text })}
        error={errors['body'] ?? errors['edit.body']}
        hint={bodyWarning(body)}
      />
    </Stack>
  )
}

/** Shows the capture on the left and the edited request on the right. */
function Difference({ id, edit }: { id: number; edit: RequestEdit }) {
  const parsed = parseEdit(useSettled(edit)).input
  const query = useDataOf('replay.diff', parsed === null ? null : { id, edit: parsed })
  if (parsed === null) {
    return <Hint>Correct the marked fields to see the differences.</Hint>
  }
  return (
    <Loaded query={query} of="the difference" rows={4}>
      {({ head, body, isSame }) => (
        <Stack gap="s" pad="s">
          {isSame && (
            <p>
              <Tag tone="ok">equal</Tag> You have not changed the request yet.
            </p>
          )}
          <MessageDiff head={head} body={body} />
        </Stack>
      )}
    </Loaded>
  )
}
