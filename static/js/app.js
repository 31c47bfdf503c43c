// What every page loads. All of it listens on the document, so that swapped-in fragments work too.
import "./enhance.js";
import "./menus.js";
import "./shortcuts.js";
import "./copy.js";
import "./slideover.js";
import "./dropzone.js";
import "./beside.js";
import "./hints.js";
import "./upload.js";
import "./focus.js";
