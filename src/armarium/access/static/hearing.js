// Loaded before the frame: an archived page may have said all it has to say before frame.js runs.
window.armariumHeard = [];
addEventListener("message", (event) => window.armariumHeard?.push(event));
