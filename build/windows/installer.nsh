; Adds Tondesk to "Open with" of files that it can read, and registers tondesk:// links. Other programs
; remain the default for these files.

!define TONDESK_FILE "Tondesk.File"
!define TONDESK_CLASSES "Software\Classes"

!macro TONDESK_OPEN_WITH EXT
  WriteRegStr SHELL_CONTEXT "${TONDESK_CLASSES}\.${EXT}\OpenWithProgids" "${TONDESK_FILE}" ""
!macroend

!macro TONDESK_NOT_WITH EXT
  DeleteRegValue SHELL_CONTEXT "${TONDESK_CLASSES}\.${EXT}\OpenWithProgids" "${TONDESK_FILE}"
!macroend

!macro TONDESK_COMMAND KEY
  WriteRegStr SHELL_CONTEXT "${TONDESK_CLASSES}\${KEY}\DefaultIcon" "" "$appExe,0"
  WriteRegStr SHELL_CONTEXT "${TONDESK_CLASSES}\${KEY}\shell\open\command" "" '"$appExe" -- "%1"'
!macroend

!macro customInstall
  WriteRegStr SHELL_CONTEXT "${TONDESK_CLASSES}\${TONDESK_FILE}" "" "Tondesk file"
  !insertmacro TONDESK_COMMAND "${TONDESK_FILE}"
  !insertmacro TONDESK_OPEN_WITH "har"
  !insertmacro TONDESK_OPEN_WITH "jsonl"
  !insertmacro TONDESK_OPEN_WITH "ndjson"
  !insertmacro TONDESK_OPEN_WITH "yaml"
  !insertmacro TONDESK_OPEN_WITH "yml"
  WriteRegStr SHELL_CONTEXT "${TONDESK_CLASSES}\tondesk" "" "URL:Tondesk link"
  WriteRegStr SHELL_CONTEXT "${TONDESK_CLASSES}\tondesk" "URL Protocol" ""
  !insertmacro TONDESK_COMMAND "tondesk"
!macroend

!macro customUnInstall
  ; An update runs the uninstaller of the old version first; the new one then writes the keys again.
  DeleteRegKey SHELL_CONTEXT "${TONDESK_CLASSES}\${TONDESK_FILE}"
  !insertmacro TONDESK_NOT_WITH "har"
  !insertmacro TONDESK_NOT_WITH "jsonl"
  !insertmacro TONDESK_NOT_WITH "ndjson"
  !insertmacro TONDESK_NOT_WITH "yaml"
  !insertmacro TONDESK_NOT_WITH "yml"
  DeleteRegKey SHELL_CONTEXT "${TONDESK_CLASSES}\tondesk"
!macroend
