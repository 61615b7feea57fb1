;; Emacs' dap-mode drives `clerk dap` as its user would: a breakpoint, a launch, the value of an expression, a step, the
;; end.  emacs --batch -l emacs.el CLERK SOURCE FOLDER; files are kept in FOLDER.  An error ends it with a status.
(let ((load-suffixes '(".elc" ".el")))
  (package-initialize)
  (require 'dap-mode)
  (require 'dap-ui))

(defvar clerk (pop command-line-args-left))
(defvar source (pop command-line-args-left))
(defvar folder (file-name-as-directory (pop command-line-args-left)))
(defvar stops 0)
(defvar ended nil)

(setq lsp-session-file (concat folder "lsp-session")
      dap-breakpoints-file (concat folder "dap-breakpoints")
      dap-auto-configure-features nil)
(add-hook 'dap-stopped-hook (lambda (_) (setq stops (1+ stops))))
(add-hook 'dap-terminated-hook (lambda (_) (setq ended t)))
;; A server of its own for each session; or one that runs, at a port.
(dap-register-debug-provider
 "clerk" (lambda (configuration)
           (if (plist-get configuration :debugServer)
               (plist-put configuration :host "127.0.0.1")
             (plist-put configuration :dap-server-path (list clerk "dap")))))

(defun wait-for (what holds)
  "Waits until the function HOLDS gives what is not nil, and gives it."
  (let ((end (+ (float-time) 30)) found)
    (while (not (or (setq found (funcall holds)) (> (float-time) end)))
      (accept-process-output nil 0.02))
    (or found (error "clerk: waited in vain for %s" what))))

(defun value-of (session expression)
  (let ((frame (wait-for "a frame" (lambda () (dap--debug-session-active-frame session)))) value)
    (dap--send-message
     (dap--make-request "evaluate" (list :expression expression :frameId (gethash "id" frame)))
     (lambda (answer) (setq value (gethash "result" (gethash "body" answer))))
     session)
    (wait-for expression (lambda () value))))

(defun expect (what is should)
  (unless (equal is should) (error "clerk: %s is %S and should be %S" what is should)))

(defun start-server ()
  "Starts a server at a free port, and gives the port."
  (let ((server (start-process "server" (generate-new-buffer "server") clerk "dap" "--port" "0")))
    (set-process-query-on-exit-flag server nil)
    (wait-for "the port" (lambda ()
                           (with-current-buffer (process-buffer server)
                             (and (string-match ":\\([0-9]+\\)\n" (buffer-string))
                                  (string-to-number (match-string 1 (buffer-string)))))))))

(with-current-buffer (find-file-noselect source)
  (goto-char (point-min))
  (search-forward "out[i] =")
  (dap-breakpoint-add)
  (let ((line (line-number-at-pos)))
    (dap-debug (list :type "clerk" :request "launch" :name "scale" :file source :global 64
                     :arguments ["buf:float[64]=iota" "buf:float[64]"]))
    (wait-for "the breakpoint" (lambda () (= stops 1)))
    (let ((session (dap--cur-session)))
      (wait-for "a frame" (lambda () (dap--debug-session-active-frame session)))
      (expect "the line" (gethash "line" (dap--debug-session-active-frame session)) line)
      (expect "the value" (value-of session "in[5] + 1") "6")
      (dap-next session)
      (wait-for "the step" (lambda () (= stops 2)))
      (dap-disconnect session)
      (wait-for "the end" (lambda () ended)))
    (setq stops 0)
    (dap-debug (list :type "clerk" :request "launch" :name "port" :file source :global 64 :debugServer (start-server)
                     :arguments ["buf:float[64]=iota" "buf:float[64]"]))
    (wait-for "the breakpoint over a port" (lambda () (= stops 1)))
    (expect "the line" (gethash "line" (wait-for "a frame" (lambda () (dap--debug-session-active-frame (dap--cur-session))))) line)
    (dap-disconnect (dap--cur-session))))
